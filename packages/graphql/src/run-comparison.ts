import { type Aligned, align, invalid, jsonDifferences, notFound } from "@wheelhouse/domain";
import { visibleTo } from "@wheelhouse/storage/models";
import { builder } from "./builder.ts";
import { authorityOf, type GraphContext } from "./context.ts";
import { rowIdOf } from "./global-id.ts";
import { Message, Run, Step } from "./refs.ts";

/** Steps and messages of a run that are compared; aligning takes their product in time. */
const maxCompared = 1_000;
/** Characters of a value's JSON that a comparison shows. */
const previewLength = 2_048;

interface SideShape {
  id: string;
  inputs: unknown;
  output: unknown;
  totalTokens: number | null;
}

interface StepPairShape {
  a: SideShape | null;
  b: SideShape | null;
}

interface MessagePairShape {
  a: { id: string; content: string } | null;
  b: { id: string; content: string } | null;
}

interface ComparisonShape {
  a: { id: string };
  b: { id: string };
  steps: StepPairShape[];
  messages: MessagePairShape[];
  isComplete: boolean;
  manifests: [unknown, unknown];
}

const previewOf = (value: unknown): string | null =>
  value == null ? null : JSON.stringify(value).slice(0, previewLength);
const same = (a: unknown, b: unknown): boolean => jsonDifferences(a ?? null, b ?? null).length === 0;

const StepSide = builder.objectRef<SideShape>("StepSide").implement({
  description: "A step in a comparison.",
  fields: (t) => ({
    step: t.field({ type: Step, description: "The step.", resolve: ({ id }) => ({ id }) }),
    inputs: t.string({
      nullable: true,
      description: `What went in: the beginning of its JSON, at most ${previewLength} characters.`,
      resolve: ({ inputs }) => previewOf(inputs),
    }),
    output: t.string({
      nullable: true,
      description: `What came out: the beginning of its JSON, at most ${previewLength} characters.`,
      resolve: ({ output }) => previewOf(output),
    }),
    totalTokens: t.exposeInt("totalTokens", {
      nullable: true,
      description: "The tokens of its own model calls; null when it made none, or none was reported.",
    }),
  }),
});

const StepPair = builder.objectRef<StepPairShape>("StepPair").implement({
  description: "Steps of the same kind and name that stand beside each other, or a step that only one run has.",
  fields: (t) => ({
    a: t.expose("a", { type: StepSide, nullable: true, description: "The step of the first run." }),
    b: t.expose("b", { type: StepSide, nullable: true, description: "The step of the second run." }),
    sameInputs: t.boolean({
      description: "Whether the same went into both.",
      resolve: ({ a, b }) => a !== null && b !== null && same(a.inputs, b.inputs),
    }),
    sameOutput: t.boolean({
      description: "Whether the same came out of both.",
      resolve: ({ a, b }) => a !== null && b !== null && same(a.output, b.output),
    }),
  }),
});

const MessagePair = builder.objectRef<MessagePairShape>("MessagePair").implement({
  description: "Messages of the same role that stand beside each other, or a message that only one run has.",
  fields: (t) => ({
    a: t.expose("a", { type: Message, nullable: true, description: "The message of the first run." }),
    b: t.expose("b", { type: Message, nullable: true, description: "The message of the second run." }),
    sameContent: t.boolean({
      description: "Whether both say the same.",
      resolve: ({ a, b }) => a !== null && b !== null && a.content === b.content,
    }),
  }),
});

const ManifestDifference = builder.objectRef<{ path: string; a: unknown; b: unknown }>("ManifestDifference").implement({
  description: "A place where the definitions of two runs differ.",
  fields: (t) => ({
    path: t.exposeString("path", { description: "JSONPath into the manifest, for example `$.definition.model`." }),
    a: t.expose("a", { type: "JSON", nullable: true, description: "What the first run has there." }),
    b: t.expose("b", { type: "JSON", nullable: true, description: "What the second run has there." }),
  }),
});

const RunComparison = builder.objectRef<ComparisonShape>("RunComparison").implement({
  description: "Two runs side by side. Their tokens and durations are on the runs themselves.",
  fields: (t) => ({
    a: t.expose("a", { type: Run, description: "The first run." }),
    b: t.expose("b", { type: Run, description: "The second run." }),
    steps: t.expose("steps", { type: [StepPair], description: "Their steps, in the order of execution." }),
    messages: t.expose("messages", { type: [MessagePair], description: "What they said, in order." }),
    isComplete: t.exposeBoolean("isComplete", {
      description: `False when a run has more than ${maxCompared} steps or messages; the rest is not compared.`,
    }),
    manifestDifferences: t.field({
      type: [ManifestDifference],
      description: "Where the definitions that they executed differ.",
      resolve: ({ manifests: [a, b] }) => jsonDifferences(a, b),
    }),
  }),
});

async function compareRuns(context: GraphContext, aId: string, bId: string): Promise<ComparisonShape> {
  const where = { AND: [visibleTo(authorityOf(context)).run, { id: { in: [aId, bId] } }] };
  const runs = await context.prisma.run.findMany({ where, select: { id: true, manifest: true } });
  const [a, b] = [aId, bId].map((id) => runs.find((run) => run.id === id));
  if (a === undefined || b === undefined) throw notFound("Run");
  const [left, right] = await Promise.all([readSide(context, aId), readSide(context, bId)]);
  const steps = align(left.steps, right.steps, (step) => `${step.kind} ${step.name}`);
  const messages = align(left.messages, right.messages, (message) => message.role);
  return {
    ...{ a, b, manifests: [a.manifest, b.manifest], isComplete: left.isComplete && right.isComplete },
    steps: steps.map(sides),
    messages: messages.map(sides),
  };
}

const sides = <T>({ a, b }: Aligned<T>): { a: T | null; b: T | null } => ({ a, b });

async function readSide({ prisma }: GraphContext, runId: string) {
  const take = maxCompared + 1;
  const [steps, messages, calls] = await Promise.all([
    prisma.step.findMany({
      where: { runId },
      orderBy: { seq: "asc" },
      take,
      select: { id: true, name: true, kind: true, inputs: true, output: true },
    }),
    prisma.message.findMany({
      where: { runId },
      orderBy: { seq: "asc" },
      take,
      select: { id: true, role: true, content: true },
    }),
    prisma.modelCall.groupBy({ by: ["stepId"], where: { runId }, _sum: { totalTokens: true } }),
  ]);
  const tokens = new Map(calls.map(({ stepId, _sum }) => [stepId, _sum.totalTokens]));
  return {
    isComplete: steps.length <= maxCompared && messages.length <= maxCompared,
    steps: steps.slice(0, maxCompared).map((step) => ({ ...step, totalTokens: tokens.get(step.id) ?? null })),
    messages: messages.slice(0, maxCompared),
  };
}

builder.queryField("compareRuns", (t) =>
  t.field({
    type: RunComparison,
    description: "Lays two runs side by side.",
    args: {
      a: t.arg.id({ required: true, description: "The global id of the first run." }),
      b: t.arg.id({ required: true, description: "The global id of the second run." }),
    },
    resolve: (_, args, context) => {
      const [a, b] = [rowIdOf("Run", args.a, "a"), rowIdOf("Run", args.b, "b")];
      if (a === b) throw invalid("b", "is the same run; name another one");
      return compareRuns(context, a, b);
    },
  }),
);
