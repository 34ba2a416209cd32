import { StepKind as StepKindWord, StepStatus as StepStatusWord } from "@wheelhouse/domain";
import { visibleTo } from "@wheelhouse/storage/models";
import { Batches, groupBy } from "./batches.ts";
import { builder } from "./builder.ts";
import { connectionType } from "./connection.ts";
import { authorityOf } from "./context.ts";
import { StepKind, StepStatus } from "./enums.ts";
import { globalId } from "./global-id.ts";
import { numberKey, type Order } from "./keyset.ts";
import { NestedList } from "./nested-list.ts";
import { ModelCall, Step } from "./refs.ts";
import { rowQuery } from "./row-query.ts";

const callsOfStep = new Batches<{ id: string }[]>();

builder.prismaObjectFields(Step, (t) => ({
  id: t.id({ description: "The global id.", resolve: (step) => globalId("Step", step.id) }),
  name: t.exposeString("name", { description: "The node's, model's or tool's name." }),
  kind: t.field({
    type: StepKind,
    select: { kind: true },
    description: "What was executed.",
    resolve: (step) => StepKindWord.parse(step.kind),
  }),
  status: t.field({
    type: StepStatus,
    select: { status: true },
    description: "How it ended, or that it runs.",
    resolve: (step) => StepStatusWord.parse(step.status),
  }),
  seq: t.exposeInt("seq", { description: "Its place in the executed path of the run." }),
  attempt: t.exposeInt("attempt", { description: "Which try it was, from 1." }),
  parentStepId: t.id({
    nullable: true,
    select: { parentStepId: true },
    description: "The global id of the step around it.",
    resolve: (step) => (step.parentStepId === null ? null : globalId("Step", step.parentStepId)),
  }),
  inputs: t.expose("inputs", { type: "JSON", nullable: true, description: "What went in." }),
  output: t.expose("output", { type: "JSON", nullable: true, description: "What came out." }),
  prompt: t.expose("prompt", { type: "JSON", nullable: true, description: "The messages that a model was sent." }),
  error: t.exposeString("error", { nullable: true, description: "What went wrong." }),
  toolUri: t.exposeString("toolUri", { nullable: true, description: "Where the tool comes from." }),
  toolCallId: t.exposeString("toolCallId", { nullable: true, description: "The model's id of the tool call." }),
  metadata: t.expose("metadata", { type: "JSON", description: "Further facts of the executor." }),
  startedAt: t.expose("startedAt", { type: "DateTime", description: "When it began." }),
  finishedAt: t.expose("finishedAt", { type: "DateTime", nullable: true, description: "When it ended." }),
  durationMs: t.exposeInt("durationMs", { nullable: true, description: "How long it took, milliseconds." }),
  modelCalls: t.field({
    type: [ModelCall],
    select: { id: true, runId: true },
    description: "The calls to providers that it made.",
    resolve: (step, _, context, info) => {
      const { select } = rowQuery({ context, info, typeName: "ModelCall", select: { id: true, stepId: true } });
      return callsOfStep.load(context, info, `${step.runId} ${step.id}`, async (keys) => {
        const pairs = keys.map((key) => key.split(" "));
        const steps = pairs.map(([, stepId]) => stepId ?? "");
        const found = await context.prisma.modelCall.findMany({
          where: {
            AND: [
              visibleTo(authorityOf(context)).modelCall,
              // The table is indexed by run.
              { runId: { in: [...new Set(pairs.map(([runId]) => runId ?? ""))] } },
              { stepId: { in: steps } },
            ],
          },
          orderBy: [{ startedAt: "asc" }, { id: "asc" }],
          select,
        });
        return groupBy(steps, found, (call) => call.stepId);
      });
    },
  }),
}));

export type StepRow = { id: string; seq: number; runId: string };
export const StepConnection = connectionType<{ id: string }>("Step", Step);

type SeqWhere = { seq?: object; runId?: string };
const bySeq: Order<StepRow, number, SeqWhere, { seq: "asc" | "desc" }> = {
  name: "SEQ",
  direction: "asc",
  read: (row) => row.seq,
  parse: numberKey,
  where: (seq) => ({ seq }),
  orderBy: (seq) => ({ seq }),
};

export const runSteps = new NestedList<StepRow, number, SeqWhere, { seq: "asc" | "desc" }>({
  name: "steps",
  order: bySeq,
  parent: { field: "runId", of: (row) => row.runId },
});
