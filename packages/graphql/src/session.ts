import { eventCursor, invalid, SessionStatus as SessionStatusWord } from "@wheelhouse/domain";
import { createSession, updateSession } from "@wheelhouse/runtime";
import { visibleTo } from "@wheelhouse/storage/models";
import { backwardArguments, forwardArguments } from "./arguments.ts";
import { builder } from "./builder.ts";
import { connectionType, rowPaths } from "./connection.ts";
import { authorityOf, authorityWithRole } from "./context.ts";
import { SessionOrder, SessionStatus } from "./enums.ts";
import { EventPage, eventArguments, eventPage } from "./event.ts";
import { globalId, rowIdOf } from "./global-id.ts";
import { interruptsOf } from "./interrupt-rows.ts";
import { chatMessages, MessageConnection, sessionMessages } from "./message.ts";
import { Interrupt, Message, Run, Session } from "./refs.ts";
import { Forbidden, IdempotencyConflict, Invalid, NotFound, orRefused } from "./refusals.ts";
import { rowQuery } from "./row-query.ts";
import { runById } from "./run.ts";
import { checkFilter, SessionFilter, sessionPage, sessionRowSelect } from "./session-list.ts";
import { Usage, usageColumns, usageOf } from "./usage.ts";

/** Most messages of one `chatHistory`. */
const maxHistory = 500;
const interruptsOfSession = interruptsOf("sessionId");

builder.prismaObjectFields(Session, (t) => ({
  id: t.id({ description: "The global id.", resolve: (session) => globalId("Session", session.id) }),
  externalId: t.exposeString("externalId", { nullable: true, description: "The application's own id of it." }),
  title: t.exposeString("title", { nullable: true, description: "What it is about." }),
  status: t.field({
    type: SessionStatus,
    select: { status: true },
    description: "What it is doing.",
    resolve: (session) => SessionStatusWord.parse(session.status),
  }),
  agent: t.relation("agent", { description: "The agent that answers." }),
  scope: t.expose("scope", { type: "JSON", description: "Whose it is. Never changes." }),
  metadata: t.expose("metadata", { type: "JSON", description: "The application's own facts about it." }),
  tags: t.stringList({
    select: { tags: { select: { tag: { select: { name: true } } } } },
    description: "Its tags.",
    resolve: (session) => session.tags.map(({ tag }) => tag.name).sort(),
  }),
  runCount: t.exposeInt("runCount", { description: "How many runs it has." }),
  taskCount: t.exposeInt("taskCount", { description: "How many tasks it has." }),
  messageCount: t.exposeInt("messageCount", { description: "How many messages it has." }),
  stepCount: t.exposeInt("stepCount", { description: "How many steps it has." }),
  errorCount: t.exposeInt("errorCount", { description: "How many of its runs failed." }),
  firstMessage: t.exposeString("firstMessage", {
    nullable: true,
    description: "How it began, at most 500 characters.",
  }),
  lastMessage: t.exposeString("lastMessage", {
    nullable: true,
    description: "Its latest words, at most 500 characters.",
  }),
  lastSequence: t.exposeInt("lastSequence", { description: "The sequence of its newest event." }),
  eventCursor: t.field({
    type: "Cursor",
    select: { id: true, lastSequence: true },
    description: "A cursor at the end of the log as this answer saw it: subscribe from here and miss nothing.",
    resolve: (session) => eventCursor(session.id, session.lastSequence),
  }),
  usage: t.field({
    type: Usage,
    select: usageColumns,
    description: "The tokens that it spent.",
    resolve: (session) => usageOf(session),
  }),
  createdAt: t.expose("createdAt", { type: "DateTime", description: "When it began." }),
  lastActivityAt: t.expose("lastActivityAt", { type: "DateTime", description: "When something last happened in it." }),
  activeRun: t.field({
    type: Run,
    nullable: true,
    select: { activeRunId: true },
    description: "The run that is queued or running.",
    resolve: (session, _, context, info) => runById(context, info, session.activeRunId),
  }),
  lastRun: t.relation("lastRun", { nullable: true, description: "The newest run." }),
  interrupts: t.field({
    type: [Interrupt],
    args: { pendingOnly: t.arg.boolean({ description: "Only those that still wait for an answer." }) },
    select: { id: true },
    description: "What its runs ask humans, in the order of asking.",
    resolve: (session, args, context, info) =>
      interruptsOfSession(context, info, session.id, args.pendingOnly ?? false),
  }),
  messages: t.field({
    type: MessageConnection,
    args: { ...forwardArguments, ...backwardArguments },
    select: { id: true },
    description: "The transcript, in order.",
    resolve: (session, args, context, info) => {
      const select = { id: true, seq: true, sessionId: true } as const;
      const query = rowQuery({ context, info, typeName: "Message", paths: rowPaths, select });
      return sessionMessages.page({
        context,
        info,
        parentId: session.id,
        args,
        find: (below, read) =>
          context.rows.firstOfEach("message", below, {
            ...query,
            ...read,
            where: { AND: [visibleTo(authorityOf(context)).message, read.where] },
          }),
        count: (below, cap) =>
          context.rows.countEach("message", below, { where: visibleTo(authorityOf(context)).message, cap }),
      });
    },
  }),
  chatHistory: t.field({
    type: [Message],
    args: {
      limit: t.arg.int({ defaultValue: 50, description: `The newest so many messages, at most ${maxHistory}.` }),
      maxChars: t.arg.int({
        description: "Characters in all; the oldest message that would exceed it ends the window.",
      }),
      excludeRunId: t.arg.id({ description: "Leave out what this run said." }),
    },
    select: { id: true },
    description: "The newest messages, the oldest of them first: what a model would be given.",
    resolve: async (session, args, context, info) => {
      const size = args.limit ?? 50;
      if (size < 0 || size > maxHistory) throw invalid("limit", `use 0 to ${maxHistory}`);
      if (args.maxChars != null && args.maxChars < 0) throw invalid("maxChars", "must not be negative");
      const runId = args.excludeRunId == null ? null : rowIdOf("Run", args.excludeRunId, "excludeRunId");
      const select = { id: true, seq: true, sessionId: true, content: true } as const;
      const query = rowQuery({ context, info, typeName: "Message", select });
      const newest = await chatMessages.newest({
        context,
        info,
        parentId: session.id,
        size,
        only: runId === null ? undefined : { OR: [{ runId: null }, { runId: { not: runId } }] },
        find: (below, read) =>
          context.rows.firstOfEach("message", below, {
            ...query,
            ...read,
            where: { AND: [visibleTo(authorityOf(context)).message, read.where] },
          }),
      });
      return withinChars(newest, args.maxChars).reverse();
    },
  }),
  events: t.field({
    type: EventPage,
    args: eventArguments,
    select: { id: true, lastSequence: true },
    description: "Its log, oldest first.",
    resolve: async (session, args, context, info) => {
      const parent = { kind: "session" as const, id: session.id };
      const { id: sessionId, lastSequence } = session;
      return { ...(await eventPage({ context, info, parent, sessionId, lastSequence, args })), terminal: false };
    },
  }),
}));

/** Walks from the newest message: the first that would exceed the sum ends the window. Counts code points. */
export function withinChars<Row extends { content: string }>(newestFirst: readonly Row[], maxChars?: number | null) {
  if (maxChars == null) return [...newestFirst];
  const kept: Row[] = [];
  let used = 0;
  for (const row of newestFirst) {
    used += [...row.content].length;
    if (used > maxChars) break;
    kept.push(row);
  }
  return kept;
}

const SessionConnection = connectionType<{ id: string }>("Session", Session);

builder.queryFields((t) => ({
  sessions: t.field({
    type: SessionConnection,
    description: "Sessions, those with the newest activity first unless ordered otherwise.",
    args: {
      ...forwardArguments,
      ...backwardArguments,
      filter: t.arg({ type: SessionFilter, description: "Which ones." }),
      orderBy: t.arg({ type: SessionOrder, description: "In which order." }),
    },
    resolve: (_, args, context, info) => {
      const query = rowQuery({ context, info, typeName: "Session", paths: rowPaths, select: sessionRowSelect });
      return sessionPage({
        context,
        args,
        filter: checkFilter(args.filter ?? {}),
        orderBy: args.orderBy ?? "LAST_ACTIVITY_DESC",
        find: (read) => context.prisma.session.findMany({ ...query, ...read }),
      });
    },
  }),
  session: t.prismaField({
    type: Session,
    nullable: true,
    description: "A session by its id, or by its external id and agent; null when there is none.",
    args: {
      id: t.arg.id({ description: "Its global id." }),
      externalId: t.arg.string({ description: "The application's own id; with `agent`." }),
      agent: t.arg.string({ description: "The agent's name; with `externalId`." }),
    },
    resolve: async (query, _, args, context) => {
      const authority = authorityOf(context);
      if (args.id != null) {
        const id = rowIdOf("Session", args.id, "id");
        return context.prisma.session.findFirst({ ...query, where: { AND: [visibleTo(authority).session, { id }] } });
      }
      if (args.externalId == null) throw invalid("id", "give an id, or an externalId with its agent");
      if (args.agent == null) throw invalid("agent", "an externalId is unique within one agent: name it");
      // Who reaches a whole project may meet the same external id in several scopes: the latest active is meant.
      return context.prisma.session.findFirst({
        ...query,
        where: { AND: [visibleTo(authority).session, { externalId: args.externalId, agent: { name: args.agent } }] },
        orderBy: [{ lastActivityAt: "desc" }, { id: "desc" }],
      });
    },
  }),
}));

const CreateSessionInput = builder.inputType("CreateSessionInput", {
  description: "A new session.",
  fields: (t) => ({
    agent: t.string({ required: true, description: "The name of the agent that answers." }),
    externalId: t.string({ description: "Your own id of it; answers with the session that has it." }),
    title: t.string({ description: "What it is about." }),
    metadata: t.field({ type: "JSON", description: "Your own facts about it, an object." }),
    idempotencyKey: t.string({ description: "The same key and request answer with the same session." }),
    clientMutationId: t.string({ description: "For your own bookkeeping." }),
  }),
});

const UpdateSessionInput = builder.inputType("UpdateSessionInput", {
  description: "What to change; what is absent stays.",
  fields: (t) => ({
    sessionId: t.id({ required: true, description: "The global id of the session." }),
    title: t.string({ description: "What it is about; null takes the title away." }),
    metadata: t.field({ type: "JSON", description: "Replaces your own facts about it." }),
    clientMutationId: t.string({ description: "For your own bookkeeping." }),
  }),
});

const named = <Name extends string>(__typename: Name, id: string) => ({ __typename, id });

const CreateSessionResult = builder.unionType("CreateSessionResult", {
  description: "The session, or why it is refused.",
  types: [Session, NotFound, Forbidden, Invalid, IdempotencyConflict],
  resolveType: (value) => ("__typename" in value ? value.__typename : "Session"),
});

const UpdateSessionResult = builder.unionType("UpdateSessionResult", {
  description: "The session as it is now, or why it is refused.",
  types: [Session, NotFound, Forbidden, Invalid],
  resolveType: (value) => ("__typename" in value ? value.__typename : "Session"),
});

builder.mutationFields((t) => ({
  createSession: t.field({
    type: CreateSessionResult,
    description: "Begins a session, or answers with the one that has the external id.",
    args: { input: t.arg({ type: CreateSessionInput, required: true, description: "The session." }) },
    resolve: (_, { input }, context) =>
      orRefused(["NotFound", "Forbidden", "Invalid", "IdempotencyConflict"], async () => {
        const { session } = await createSession(context.runtime, authorityWithRole(context, "OPERATOR"), input);
        return named("Session", session.id);
      }),
  }),
  updateSession: t.field({
    type: UpdateSessionResult,
    description: "Changes a session's title and metadata.",
    args: { input: t.arg({ type: UpdateSessionInput, required: true, description: "The change." }) },
    resolve: (_, { input }, context) =>
      orRefused(["NotFound", "Forbidden", "Invalid"], async () => {
        const session = await updateSession(context.runtime, authorityWithRole(context, "OPERATOR"), {
          ...input,
          sessionId: rowIdOf("Session", input.sessionId, "sessionId"),
        });
        return named("Session", session.id);
      }),
  }),
}));
