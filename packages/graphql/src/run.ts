import { FailureCode, failureCodes, isActiveRun, RunStatus as RunStatusWord } from "@wheelhouse/domain";
import { visibleTo } from "@wheelhouse/storage/models";
import type { GraphQLResolveInfo } from "graphql";
import { backwardArguments, forwardArguments } from "./arguments.ts";
import { Batches } from "./batches.ts";
import { builder } from "./builder.ts";
import { connectionType, rowPaths } from "./connection.ts";
import { authorityOf, type GraphContext } from "./context.ts";
import { RunStatus } from "./enums.ts";
import { EventPage, eventArguments, eventPage } from "./event.ts";
import { globalId, rowIdOf } from "./global-id.ts";
import { interruptsOf } from "./interrupt-rows.ts";
import { countCap, dateKey, type Order } from "./keyset.ts";
import { ModelCallConnection, runModelCalls } from "./model-call.ts";
import { NestedList } from "./nested-list.ts";
import { Interrupt, Run } from "./refs.ts";
import { rootPage } from "./root-list.ts";
import { rowQuery } from "./row-query.ts";
import { runSteps, StepConnection } from "./step.ts";
import { Usage, usageColumns, usageOf } from "./usage.ts";

const RunError = builder.objectRef<{ code: string; message: string }>("RunError").implement({
  description: "Why a run failed.",
  fields: (t) => ({
    code: t.exposeString("code", { description: "The reason, from a closed list." }),
    message: t.exposeString("message", { description: "The reason, for a person." }),
    retryable: t.boolean({
      description: "Whether trying again makes sense.",
      resolve: (error) => failureCodes[FailureCode.safeParse(error.code).data ?? "INTERNAL"].retryable,
    }),
  }),
});

const runsById = new Batches<{ id: string } | null>();

/** Runs that a row names without a foreign key: read together for a list, null when gone or not visible. */
export function runById(
  context: GraphContext,
  info: GraphQLResolveInfo,
  id: string | null,
): Promise<{ id: string } | null> | null {
  if (id === null) return null;
  const query = rowQuery({ context, info, typeName: "Run", select: { id: true } });
  return runsById.load(context, info, id, async (ids) => {
    const found = await context.prisma.run.findMany({
      ...query,
      where: { AND: [visibleTo(authorityOf(context)).run, { id: { in: [...ids] } }] },
    });
    const byId = new Map(found.map((run) => [run.id, run]));
    return ids.map((wanted) => byId.get(wanted) ?? null);
  });
}

const interruptsOfRun = interruptsOf("runId");

builder.prismaObjectFields(Run, (t) => ({
  id: t.id({ description: "The global id.", resolve: (run) => globalId("Run", run.id) }),
  session: t.relation("session", { description: "The conversation." }),
  task: t.relation("task", { description: "The task that it attempts." }),
  agent: t.relation("agent", { nullable: true, description: "The agent; null when it was removed." }),
  status: t.field({
    type: RunStatus,
    select: { status: true },
    description: "What it does, or how it ended.",
    resolve: (run) => RunStatusWord.parse(run.status),
  }),
  attempt: t.exposeInt("attempt", { description: "Which attempt at the task, from 1." }),
  recoveries: t.exposeInt("recoveries", { description: "How often another worker had to take it over." }),
  parentRun: t.field({
    type: Run,
    nullable: true,
    select: { parentRunId: true },
    description: "The run that it continues or repeats.",
    resolve: (run, _, context, info) => runById(context, info, run.parentRunId),
  }),
  input: t.expose("input", { type: "JSON", nullable: true, description: "What it was given." }),
  output: t.expose("output", { type: "JSON", nullable: true, description: "What it answered." }),
  error: t.field({
    type: RunError,
    nullable: true,
    select: { errorCode: true, errorMessage: true },
    description: "Why it failed.",
    resolve: (run) => (run.errorCode === null ? null : { code: run.errorCode, message: run.errorMessage ?? "" }),
  }),
  manifest: t.expose("manifest", {
    type: "JSON",
    description: "The definition that it executes, pinned when it was submitted. Never holds a secret.",
  }),
  manifestDigest: t.exposeString("manifestDigest", { description: "SHA-256 of the manifest's canonical JSON." }),
  usage: t.field({
    type: Usage,
    select: usageColumns,
    description: "The tokens that it spent.",
    resolve: (run) => usageOf(run),
  }),
  stepCount: t.exposeInt("stepCount", { description: "How many steps it has so far." }),
  queuedAt: t.expose("queuedAt", { type: "DateTime", description: "When it was accepted." }),
  startedAt: t.expose("startedAt", { type: "DateTime", nullable: true, description: "When a worker took it first." }),
  firstEventAt: t.expose("firstEventAt", {
    type: "DateTime",
    nullable: true,
    description: "When it said its first word.",
  }),
  finishedAt: t.expose("finishedAt", { type: "DateTime", nullable: true, description: "When it ended." }),
  durationMs: t.exposeInt("durationMs", { nullable: true, description: "From its start to its end, milliseconds." }),
  steps: t.field({
    type: StepConnection,
    args: forwardArguments,
    select: { id: true },
    description: "The executed path.",
    resolve: (run, args, context, info) => {
      const select = { id: true, seq: true, runId: true } as const;
      const query = rowQuery({ context, info, typeName: "Step", paths: rowPaths, select });
      return runSteps.page({
        context,
        info,
        parentId: run.id,
        args,
        find: (below, read) =>
          context.rows.firstOfEach("step", below, {
            ...query,
            ...read,
            where: { AND: [visibleTo(authorityOf(context)).step, read.where] },
          }),
        count: (below, cap) =>
          context.rows.countEach("step", below, { where: visibleTo(authorityOf(context)).step, cap }),
      });
    },
  }),
  modelCalls: t.field({
    type: ModelCallConnection,
    args: forwardArguments,
    select: { id: true },
    description: "The calls to providers that it made, in order.",
    resolve: (run, args, context, info) => {
      const initial = { id: true, startedAt: true, runId: true } as const;
      const { select } = rowQuery({ context, info, typeName: "ModelCall", paths: rowPaths, select: initial });
      return runModelCalls.page({
        context,
        info,
        parentId: run.id,
        args,
        find: (below, read) =>
          context.rows.firstOfEach("modelCall", below, {
            select,
            ...read,
            where: { AND: [visibleTo(authorityOf(context)).modelCall, read.where] },
          }),
        count: (below, cap) =>
          context.rows.countEach("modelCall", below, { where: visibleTo(authorityOf(context)).modelCall, cap }),
      });
    },
  }),
  interrupts: t.field({
    type: [Interrupt],
    select: { id: true },
    description: "What it asks a human, in the order of asking.",
    resolve: (run, _, context, info) => interruptsOfRun(context, info, run.id, false),
  }),
  events: t.field({
    type: EventPage,
    args: eventArguments,
    select: { id: true, sessionId: true, status: true, session: { select: { lastSequence: true } } },
    description: "What it said, oldest first.",
    resolve: async (run, args, context, info) => {
      const parent = { kind: "run" as const, id: run.id };
      const { sessionId, session } = run;
      const page = await eventPage({ context, info, parent, sessionId, lastSequence: session.lastSequence, args });
      return { ...page, terminal: page.caughtUp && !isActiveRun(RunStatusWord.parse(run.status)) };
    },
  }),
}));

type CreatedWhere = { createdAt?: object; sessionId?: string };
type CreatedOrder = { createdAt: "asc" | "desc" };
type RunRow = { id: string; createdAt: Date; sessionId: string };
const RunConnectionType = connectionType<{ id: string }>("Run", Run);

const newestFirst: Order<RunRow, Date, CreatedWhere, CreatedOrder> = {
  name: "CREATED_DESC",
  direction: "desc",
  read: (row) => row.createdAt,
  parse: dateKey,
  where: (createdAt) => ({ createdAt }),
  orderBy: (createdAt) => ({ createdAt }),
};

const sessionRunsList = new NestedList<RunRow, Date, CreatedWhere, CreatedOrder>({
  name: "runs",
  order: { ...newestFirst, name: "CREATED_ASC", direction: "asc" },
  parent: { field: "sessionId", of: (row) => row.sessionId },
});

const rowSelect = { id: true, createdAt: true, sessionId: true } as const;

builder.prismaObjectField("Session", "runs", (t) =>
  t.field({
    type: RunConnectionType,
    args: { ...forwardArguments, ...backwardArguments },
    select: { id: true },
    description: "The attempts of this conversation, the oldest first.",
    resolve: (session, args, context, info) => {
      const query = rowQuery({ context, info, typeName: "Run", paths: rowPaths, select: rowSelect });
      return sessionRunsList.page({
        context,
        info,
        parentId: session.id,
        args,
        find: (below, read) =>
          context.rows.firstOfEach("run", below, {
            ...query,
            ...read,
            where: { AND: [visibleTo(authorityOf(context)).run, read.where] },
          }),
        count: (below, cap) =>
          context.rows.countEach("run", below, { where: visibleTo(authorityOf(context)).run, cap }),
      });
    },
  }),
);

const RunFilter = builder.inputType("RunFilter", {
  description: "Which runs to list. All conditions must hold; an empty list of statuses or agents lists nothing.",
  fields: (t) => ({
    statuses: t.field({ type: [RunStatus], description: "Only those in one of these states." }),
    agents: t.stringList({ description: "Only those of the agents with these names." }),
    sessionId: t.id({ description: "Only those of this session." }),
  }),
});

builder.queryFields((t) => ({
  runs: t.field({
    type: RunConnectionType,
    description: "Runs, the newest first.",
    args: { ...forwardArguments, filter: t.arg({ type: RunFilter, description: "Which ones." }) },
    resolve: (_, args, context, info) => {
      const { statuses, agents, sessionId } = args.filter ?? {};
      const where = {
        AND: [
          visibleTo(authorityOf(context)).run,
          statuses == null ? {} : { status: { in: [...statuses] } },
          agents == null ? {} : { agent: { name: { in: [...agents] } } },
          sessionId == null ? {} : { sessionId: rowIdOf("Session", sessionId, "filter.sessionId") },
        ],
      };
      const query = rowQuery({ context, info, typeName: "Run", paths: rowPaths, select: rowSelect });
      return rootPage<RunRow, Date, CreatedWhere, CreatedOrder>({
        list: "runs",
        order: newestFirst,
        args,
        find: (read) => context.prisma.run.findMany({ ...query, ...read, where: { AND: [where, read.where] } }),
        count: () => context.prisma.run.count({ where, take: countCap + 1 }),
      });
    },
  }),
  run: t.prismaField({
    type: Run,
    nullable: true,
    description: "A run by its id; null when there is none.",
    args: { id: t.arg.id({ required: true, description: "Its global id." }) },
    resolve: (query, _, args, context) =>
      context.prisma.run.findFirst({
        ...query,
        where: { AND: [visibleTo(authorityOf(context)).run, { id: rowIdOf("Run", args.id, "id") }] },
      }),
  }),
}));
