import { invalid } from "@wheelhouse/domain";
import {
  forkSession,
  type GraphState,
  type ListedCheckpoint,
  listCheckpoints,
  readState,
  type StateChannel as StateChannelShape,
} from "@wheelhouse/runtime";
import { visibleTo } from "@wheelhouse/storage/models";
import { forwardArguments } from "./arguments.ts";
import { Batches } from "./batches.ts";
import { builder } from "./builder.ts";
import { connectionType, once } from "./connection.ts";
import { authorityOf, authorityWithRole } from "./context.ts";
import { rowIdOf } from "./global-id.ts";
import { countCap, maxPageSize, pageSize } from "./keyset.ts";
import { Run, Session, Task } from "./refs.ts";
import { Busy, Forbidden, Invalid, NotFound, orRefused } from "./refusals.ts";
import { rowQuery } from "./row-query.ts";
import { runById } from "./run.ts";

/** Characters of a channel's text that come without asking for more. */
const previewLength = 2_048;
/** Most characters of a channel's text in one answer. */
const maxTextLength = 65_536;

type CheckpointShape = Omit<ListedCheckpoint, "inConversation" | "sessionId"> & { inConversation?: boolean };

const Checkpoint = builder.objectRef<CheckpointShape>("Checkpoint").implement({
  description: "A moment of a conversation that it can be forked from: the state of its graph after a step.",
  fields: (t) => ({
    id: t.exposeID("id", { description: "LangGraph's id of it, unique within the session." }),
    parentId: t.exposeID("parentId", { nullable: true, description: "The checkpoint before it." }),
    step: t.exposeInt("step", { nullable: true, description: "The graph's step, from -1 for the first input." }),
    source: t.exposeString("source", { description: "What made it: `input`, `loop`, `update` or `fork`." }),
    next: t.exposeStringList("next", {
      nullable: true,
      description: "The nodes that come next; none at the end of a turn, null when that was not recorded.",
    }),
    createdAt: t.expose("createdAt", { type: "DateTime", description: "When the step had ended." }),
    run: t.field({
      type: Run,
      nullable: true,
      description: "The run that wrote it.",
      resolve: (checkpoint, _, context, info) => runById(context, info, checkpoint.runId),
    }),
    inConversation: t.boolean({
      nullable: true,
      description:
        "Whether the conversation went through it, or it belongs to a turn that was taken back. Null outside of lists.",
      resolve: (checkpoint) => checkpoint.inConversation ?? null,
    }),
  }),
});

const CheckpointConnection = connectionType<CheckpointShape>("Checkpoint", Checkpoint);

const StateText = builder.objectRef<{ text: string; nextOffset: number | null }>("StateText").implement({
  description: "A piece of a channel's value.",
  fields: (t) => ({
    text: t.exposeString("text", { description: "The piece." }),
    nextOffset: t.exposeInt("nextOffset", { nullable: true, description: "Where the next begins; null at the end." }),
  }),
});

const StateChannel = builder.objectRef<StateChannelShape>("StateChannel").implement({
  description: "One value of a graph's state.",
  fields: (t) => ({
    name: t.exposeString("name", { description: "Its name in the graph." }),
    bytes: t.exposeInt("bytes", { description: "The size of the whole value as JSON, UTF-8 bytes." }),
    value: t.field({
      type: "JSON",
      nullable: true,
      description: `The value when its JSON is no longer than ${previewLength} characters, else null.`,
      resolve: ({ text }): unknown => (text.length <= previewLength ? JSON.parse(text) : null),
    }),
    preview: t.string({
      description: `The beginning of the value's JSON, at most ${previewLength} characters.`,
      resolve: ({ text }) => text.slice(0, previewLength),
    }),
    text: t.field({
      type: StateText,
      args: {
        offset: t.arg.int({ defaultValue: 0, description: "Where to begin, in UTF-16 code units." }),
        length: t.arg.int({ defaultValue: 16_384, description: `How much, at most ${maxTextLength}.` }),
      },
      description: "A piece of the value's JSON.",
      resolve: ({ text }, args) => pieceOf(text, args.offset ?? 0, args.length ?? 16_384),
    }),
  }),
});

function pieceOf(text: string, offset: number, length: number): { text: string; nextOffset: number | null } {
  if (offset < 0) throw invalid("offset", "must not be negative");
  if (length < 1 || length > maxTextLength) throw invalid("length", `use 1 to ${maxTextLength}`);
  let end = Math.min(text.length, offset + length);
  // Half a character would not survive the way to the client.
  if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end += 1;
  return { text: text.slice(offset, end), nextOffset: end < text.length ? end : null };
}

const State = builder.objectRef<GraphState>("State").implement({
  description: "The values of a session's graph at a checkpoint. Secrets are redacted.",
  fields: (t) => ({
    checkpoint: t.expose("checkpoint", { type: Checkpoint, description: "The checkpoint." }),
    channelCount: t.int({ description: "How many values it has.", resolve: ({ channels }) => channels.length }),
    channels: t.field({
      type: [StateChannel],
      args: {
        first: t.arg.int({ description: `How many, at most ${maxPageSize}; 50 when absent.` }),
        after: t.arg.string({ description: "Only names behind this one." }),
        names: t.arg.stringList({ description: "Only those with these names." }),
      },
      description: "The values, by name.",
      resolve: ({ channels }, { first, after, names }) =>
        channels
          .filter(({ name }) => (after == null || name > after) && (names == null || names.includes(name)))
          .slice(0, pageSize(first)),
    }),
  }),
});

builder.prismaObjectField(Session, "checkpoints", (t) =>
  t.field({
    type: CheckpointConnection,
    args: forwardArguments,
    select: { id: true },
    description: "The moments that the conversation can be forked from, the newest first. Older turns keep one each.",
    resolve: (session, args, context) => {
      const { runtime } = context;
      const read = once(() =>
        listCheckpoints(runtime, authorityOf(context), {
          sessionId: session.id,
          first: pageSize(args.first),
          after: args.after,
        }),
      );
      return {
        rows: async () => {
          const page = await read();
          const edges = page.checkpoints.map(({ checkpoint, cursor }) => ({ cursor, node: checkpoint }));
          return { edges, hasNextPage: page.hasNextPage, hasPreviousPage: args.after != null };
        },
        count: async () => {
          const input = { sessionId: session.id, first: countCap };
          return (await listCheckpoints(runtime, authorityOf(context), input)).checkpoints.length;
        },
      };
    },
  }),
);

builder.prismaObjectField(Session, "state", (t) =>
  t.field({
    type: State,
    nullable: true,
    args: { checkpointId: t.arg.id({ description: "Where; the conversation's present when absent." }) },
    select: { id: true },
    description: "The values of the graph at a checkpoint; null when there is none.",
    resolve: (session, { checkpointId }, context) =>
      readState(context.runtime, authorityOf(context), { sessionId: session.id, checkpointId }),
  }),
);

const sources = new Batches<{ id: string } | null>();

builder.prismaObjectField(Session, "forkedFrom", (t) =>
  t.field({
    type: Session,
    nullable: true,
    select: { forkedFrom: true },
    description: "The session that it was forked from; null when there is none, or it is gone.",
    resolve: (session, _, context, info) => {
      if (session.forkedFrom === null) return null;
      const query = rowQuery({ context, info, typeName: "Session", select: { id: true } });
      return sources.load(context, info, session.forkedFrom, async (ids) => {
        const found = await context.prisma.session.findMany({
          ...query,
          where: { AND: [visibleTo(authorityOf(context)).session, { id: { in: [...ids] } }] },
        });
        const byId = new Map(found.map((source) => [source.id, source]));
        return ids.map((id) => byId.get(id) ?? null);
      });
    },
  }),
);

builder.prismaObjectField(Session, "forkedCheckpoint", (t) =>
  t.exposeID("forkedCheckpoint", { nullable: true, description: "The checkpoint that it was forked from." }),
);

const ForkSessionInput = builder.inputType("ForkSessionInput", {
  description: "Where to fork a conversation, and what to do in the fork.",
  fields: (t) => ({
    sessionId: t.id({ required: true, description: "The global id of the session." }),
    checkpointId: t.id({ required: true, description: "The checkpoint, from `session.checkpoints`." }),
    input: t.field({ type: "JSON", description: "Work for the agent, to begin at once; by its input schema." }),
    statePatch: t.field({
      type: "JSON",
      description: "Values to change first, by channel, as if a node had returned them.",
    }),
    agentRevision: t.int({ description: "The agent's revision to insist on; the current one when absent." }),
    title: t.string({ description: "What the fork is about; the title of the source when absent." }),
    clientMutationId: t.string({ description: "Comes back in the answer." }),
  }),
});

interface ForkSessionShape {
  __typename: "ForkSessionSuccess";
  sessionId: string;
  taskId: string | null;
  runId: string | null;
  clientMutationId: string | null;
}

const ForkSessionSuccess = builder.objectRef<ForkSessionShape>("ForkSessionSuccess").implement({
  description: "The fork is there.",
  fields: (t) => ({
    session: t.field({ type: Session, description: "The new session.", resolve: (done) => ({ id: done.sessionId }) }),
    task: t.field({
      type: Task,
      nullable: true,
      description: "Its first task, when there was an input.",
      resolve: (done) => (done.taskId === null ? null : { id: done.taskId }),
    }),
    run: t.field({
      type: Run,
      nullable: true,
      description: "The run that is queued for it.",
      resolve: (done) => (done.runId === null ? null : { id: done.runId }),
    }),
    clientMutationId: t.exposeString("clientMutationId", { nullable: true, description: "As it was sent." }),
  }),
});

const ForkSessionResult = builder.unionType("ForkSessionResult", {
  description: "The fork, or why it is refused.",
  types: [ForkSessionSuccess, NotFound, Forbidden, Invalid, Busy],
  resolveType: (value) => value.__typename,
});

builder.mutationField("forkSession", (t) =>
  t.field({
    type: ForkSessionResult,
    description:
      "Begins another session with the conversation up to a checkpoint, changes its state, and starts work in it.",
    args: { input: t.arg({ type: ForkSessionInput, required: true, description: "The fork." }) },
    resolve: (_, { input: { clientMutationId, ...input } }, context) =>
      orRefused(["NotFound", "Forbidden", "Invalid", "Busy"], async () => {
        const { session, task, run } = await forkSession(context.runtime, authorityWithRole(context, "OPERATOR"), {
          ...input,
          sessionId: rowIdOf("Session", input.sessionId, "sessionId"),
        });
        return {
          __typename: "ForkSessionSuccess" as const,
          sessionId: session.id,
          taskId: task?.id ?? null,
          runId: run?.id ?? null,
          clientMutationId: clientMutationId ?? null,
        };
      }),
  }),
);
