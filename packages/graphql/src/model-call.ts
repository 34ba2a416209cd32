import { visibleTo } from "@wheelhouse/storage/models";
import { z } from "zod";
import { forwardArguments } from "./arguments.ts";
import { builder } from "./builder.ts";
import { connectionType, rowPaths } from "./connection.ts";
import { authorityOf, type GraphContext } from "./context.ts";
import { ModelCallStatus, ModelCallType, modelCallStatuses, modelCallTypes } from "./enums.ts";
import { globalId, type NodeType, rowIdOf } from "./global-id.ts";
import { countCap, dateKey, type Order } from "./keyset.ts";
import { NestedList } from "./nested-list.ts";
import { ModelCall } from "./refs.ts";
import { rootPage } from "./root-list.ts";
import { rowQuery } from "./row-query.ts";

const CallType = z.enum(modelCallTypes);
const CallStatus = z.enum(modelCallStatuses);
const idOrNull = (type: NodeType, id: string | null): string | null => (id === null ? null : globalId(type, id));

builder.prismaObjectFields(ModelCall, (t) => ({
  id: t.id({ description: "The global id.", resolve: (call) => globalId("ModelCall", call.id) }),
  callType: t.field({
    type: ModelCallType,
    select: { callType: true },
    description: "What was asked of the provider.",
    resolve: (call) => CallType.parse(call.callType),
  }),
  provider: t.exposeString("provider", { description: "The provider's type." }),
  model: t.exposeString("model", { description: "The provider's name of the model." }),
  status: t.field({
    type: ModelCallStatus,
    select: { status: true },
    description: "How it ended.",
    resolve: (call) => CallStatus.parse(call.status),
  }),
  attempt: t.exposeInt("attempt", { description: "Which try it was, from 1." }),
  error: t.exposeString("error", { nullable: true, description: "What went wrong." }),
  promptTokens: t.exposeInt("promptTokens", { nullable: true, description: "Tokens sent." }),
  completionTokens: t.exposeInt("completionTokens", { nullable: true, description: "Tokens received." }),
  totalTokens: t.exposeInt("totalTokens", { nullable: true, description: "Tokens sent and received." }),
  cachedPromptTokens: t.exposeInt("cachedPromptTokens", {
    nullable: true,
    description: "Of the tokens sent, those read from the provider's cache.",
  }),
  cacheWriteTokens: t.exposeInt("cacheWriteTokens", {
    nullable: true,
    description: "Of the tokens sent, those written to the provider's cache.",
  }),
  reasoningTokens: t.exposeInt("reasoningTokens", {
    nullable: true,
    description: "Of the tokens received, those spent on reasoning.",
  }),
  startedAt: t.expose("startedAt", { type: "DateTime", description: "When it began." }),
  durationMs: t.exposeInt("durationMs", { nullable: true, description: "How long it took, milliseconds." }),
  timeToFirstTokenMs: t.exposeInt("timeToFirstTokenMs", {
    nullable: true,
    description: "How long until the first token came, milliseconds.",
  }),
  runId: t.id({
    nullable: true,
    select: { runId: true },
    description: "The global id of the run that made it.",
    resolve: (call) => idOrNull("Run", call.runId),
  }),
  sessionId: t.id({
    nullable: true,
    select: { sessionId: true },
    description: "The global id of the session it belongs to.",
    resolve: (call) => idOrNull("Session", call.sessionId),
  }),
  stepId: t.id({
    nullable: true,
    select: { stepId: true },
    description: "The global id of the step that made it.",
    resolve: (call) => idOrNull("Step", call.stepId),
  }),
}));

export type ModelCallRow = { id: string; startedAt: Date; runId: string | null };
export const ModelCallConnection = connectionType<{ id: string }>("ModelCall", ModelCall);

type StartedWhere = { startedAt?: object; runId?: string };
type StartedOrder = { startedAt: "asc" | "desc" };

const newestFirst: Order<ModelCallRow, Date, StartedWhere, StartedOrder> = {
  name: "STARTED_DESC",
  direction: "desc",
  read: (row) => row.startedAt,
  parse: dateKey,
  where: (startedAt) => ({ startedAt }),
  orderBy: (startedAt) => ({ startedAt }),
};

export const runModelCalls = new NestedList<ModelCallRow, Date, StartedWhere, StartedOrder>({
  name: "modelCalls",
  order: { ...newestFirst, name: "STARTED_ASC", direction: "asc" },
  parent: { field: "runId", of: (row) => row.runId ?? "" },
});

const ModelCallFilter = builder.inputType("ModelCallFilter", {
  description: "Which model calls to list. All conditions must hold.",
  fields: (t) => ({
    runId: t.id({ description: "Only those of this run." }),
    sessionId: t.id({ description: "Only those of this session." }),
    statuses: t.field({ type: [ModelCallStatus], description: "Only those that ended like this." }),
  }),
});

function filterOf(context: GraphContext, filter: typeof ModelCallFilter.$inferInput) {
  const { runId, sessionId, statuses } = filter;
  return {
    AND: [
      visibleTo(authorityOf(context)).modelCall,
      runId == null ? {} : { runId: rowIdOf("Run", runId, "filter.runId") },
      sessionId == null ? {} : { sessionId: rowIdOf("Session", sessionId, "filter.sessionId") },
      statuses == null ? {} : { status: { in: [...statuses] } },
    ],
  };
}

builder.queryField("modelCalls", (t) =>
  t.field({
    type: ModelCallConnection,
    description: "Calls to model providers, the newest first.",
    args: { ...forwardArguments, filter: t.arg({ type: ModelCallFilter, description: "Which ones." }) },
    resolve: (_, args, context, info) => {
      const where = filterOf(context, args.filter ?? {});
      const select = { id: true, startedAt: true, runId: true } as const;
      const query = rowQuery({ context, info, typeName: "ModelCall", paths: rowPaths, select });
      return rootPage<ModelCallRow, Date, StartedWhere, StartedOrder>({
        list: "modelCalls",
        order: newestFirst,
        args,
        find: (read) =>
          context.prisma.modelCall.findMany({ select: query.select, ...read, where: { AND: [where, read.where] } }),
        count: () => context.prisma.modelCall.count({ where, take: countCap + 1 }),
      });
    },
  }),
);
