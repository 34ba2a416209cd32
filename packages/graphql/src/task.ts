import { TaskStatus as TaskStatusWord } from "@wheelhouse/domain";
import { cancelRun, cancelTask, retryTask, type SubmittedTask, sendMessage, submitTask } from "@wheelhouse/runtime";
import { visibleTo } from "@wheelhouse/storage/models";
import { forwardArguments } from "./arguments.ts";
import { Batches, groupBy } from "./batches.ts";
import { builder } from "./builder.ts";
import { connectionType, rowPaths } from "./connection.ts";
import { authorityOf, authorityWithRole } from "./context.ts";
import { BusyPolicy, TaskStatus } from "./enums.ts";
import { globalId, rowIdOf } from "./global-id.ts";
import { countCap, dateKey, type Order } from "./keyset.ts";
import { NestedList } from "./nested-list.ts";
import { Agent, Run, Session, Task } from "./refs.ts";
import {
  Busy,
  Forbidden,
  IdempotencyConflict,
  Invalid,
  NotCancellable,
  NotFound,
  NotRetryable,
  orRefused,
  SessionExpired,
} from "./refusals.ts";
import { rootPage } from "./root-list.ts";
import { rowQuery } from "./row-query.ts";
import { runById } from "./run.ts";

const runsOfTask = new Batches<{ id: string }[]>();

builder.prismaObjectFields(Task, (t) => ({
  id: t.id({ description: "The global id.", resolve: (task) => globalId("Task", task.id) }),
  session: t.relation("session", { description: "The conversation." }),
  agent: t.field({
    type: Agent,
    select: (_args, _context, nested) => ({ session: { select: { agent: nested() } } }),
    description: "The agent that does it.",
    resolve: (task) => task.session.agent,
  }),
  status: t.field({
    type: TaskStatus,
    select: { status: true },
    description: "How far it is.",
    resolve: (task) => TaskStatusWord.parse(task.status),
  }),
  statusReason: t.exposeString("statusReason", { nullable: true, description: "Why, where there is a reason." }),
  input: t.expose("input", { type: "JSON", nullable: true, description: "What was asked." }),
  output: t.expose("output", { type: "JSON", nullable: true, description: "What was answered." }),
  idempotencyKey: t.exposeString("idempotencyKey", { nullable: true, description: "The key it was submitted with." }),
  runs: t.field({
    type: [Run],
    select: { id: true },
    description: "The attempts at it, the oldest first.",
    resolve: (task, _, context, info) => {
      const query = rowQuery({ context, info, typeName: "Run", select: { id: true, taskId: true } });
      return runsOfTask.load(context, info, task.id, async (tasks) => {
        const found = await context.prisma.run.findMany({
          ...query,
          where: { AND: [visibleTo(authorityOf(context)).run, { taskId: { in: [...tasks] } }] },
          orderBy: [{ createdAt: "asc" }, { id: "asc" }],
        });
        return groupBy(tasks, found, (run) => run.taskId);
      });
    },
  }),
  currentRun: t.field({
    type: Run,
    nullable: true,
    select: { currentRunId: true },
    description: "The attempt that is under way.",
    resolve: (task, _, context, info) => runById(context, info, task.currentRunId),
  }),
  createdAt: t.expose("createdAt", { type: "DateTime", description: "When it was accepted." }),
  updatedAt: t.expose("updatedAt", { type: "DateTime", description: "When it last changed." }),
}));

type CreatedWhere = { createdAt?: object; sessionId?: string };
type CreatedOrder = { createdAt: "asc" | "desc" };
type TaskRow = { id: string; createdAt: Date; sessionId: string };
const TaskConnection = connectionType<{ id: string }>("Task", Task);

const newestFirst: Order<TaskRow, Date, CreatedWhere, CreatedOrder> = {
  name: "CREATED_DESC",
  direction: "desc",
  read: (row) => row.createdAt,
  parse: dateKey,
  where: (createdAt) => ({ createdAt }),
  orderBy: (createdAt) => ({ createdAt }),
};

const sessionTasks = new NestedList<TaskRow, Date, CreatedWhere, CreatedOrder>({
  name: "tasks",
  order: { ...newestFirst, name: "CREATED_ASC", direction: "asc" },
  parent: { field: "sessionId", of: (row) => row.sessionId },
});

const rowSelect = { id: true, createdAt: true, sessionId: true } as const;

builder.prismaObjectField(Session, "tasks", (t) =>
  t.field({
    type: TaskConnection,
    args: forwardArguments,
    select: { id: true },
    description: "What was asked in this conversation, the oldest first.",
    resolve: (session, args, context, info) => {
      const query = rowQuery({ context, info, typeName: "Task", paths: rowPaths, select: rowSelect });
      return sessionTasks.page({
        context,
        info,
        parentId: session.id,
        args,
        find: (below, read) =>
          context.rows.firstOfEach("task", below, {
            ...query,
            ...read,
            where: { AND: [visibleTo(authorityOf(context)).task, read.where] },
          }),
        count: (below, cap) =>
          context.rows.countEach("task", below, { where: visibleTo(authorityOf(context)).task, cap }),
      });
    },
  }),
);

const TaskFilter = builder.inputType("TaskFilter", {
  description: "Which tasks to list. All conditions must hold; an empty list of statuses or agents lists nothing.",
  fields: (t) => ({
    statuses: t.field({ type: [TaskStatus], description: "Only those in one of these states." }),
    agents: t.stringList({ description: "Only those of the agents with these names." }),
  }),
});

builder.queryFields((t) => ({
  tasks: t.field({
    type: TaskConnection,
    description: "Tasks, the newest first.",
    args: { ...forwardArguments, filter: t.arg({ type: TaskFilter, description: "Which ones." }) },
    resolve: (_, args, context, info) => {
      const { statuses, agents } = args.filter ?? {};
      const where = {
        AND: [
          visibleTo(authorityOf(context)).task,
          statuses == null ? {} : { status: { in: [...statuses] } },
          agents == null ? {} : { agent: { name: { in: [...agents] } } },
        ],
      };
      const query = rowQuery({ context, info, typeName: "Task", paths: rowPaths, select: rowSelect });
      return rootPage<TaskRow, Date, CreatedWhere, CreatedOrder>({
        list: "tasks",
        order: newestFirst,
        args,
        find: (read) => context.prisma.task.findMany({ ...query, ...read, where: { AND: [where, read.where] } }),
        count: () => context.prisma.task.count({ where, take: countCap + 1 }),
      });
    },
  }),
  task: t.prismaField({
    type: Task,
    nullable: true,
    description: "A task by its id; null when there is none.",
    args: { id: t.arg.id({ required: true, description: "Its global id." }) },
    resolve: (query, _, args, context) =>
      context.prisma.task.findFirst({
        ...query,
        where: { AND: [visibleTo(authorityOf(context)).task, { id: rowIdOf("Task", args.id, "id") }] },
      }),
  }),
}));

const SubmitTaskInput = builder.inputType("SubmitTaskInput", {
  description: "Work for an agent. Name the session by its id or external id; without either a new one begins.",
  fields: (t) => ({
    sessionId: t.id({ description: "The global id of the session to work in." }),
    externalId: t.string({ description: "Your own id of the session; it is made when it does not exist." }),
    agent: t.string({ description: "The agent's name; not needed with `sessionId`." }),
    input: t.field({ type: "JSON", required: true, description: "What the agent gets, by its input schema." }),
    idempotencyKey: t.string({ description: "The same key and request answer with the same task." }),
    busyPolicy: t.field({ type: BusyPolicy, description: "What to do when the session is working." }),
    metadata: t.field({ type: "JSON", description: "Your own facts about the task, an object." }),
    draft: t.field({
      type: "JSON",
      description:
        "A definition of the agent to try for this task alone. It is kept with the run and nowhere else. Needs the role EDITOR.",
    }),
    clientMutationId: t.string({ description: "Comes back in the answer." }),
  }),
});

const SendMessageInput = builder.inputType("SendMessageInput", {
  description: "A user's message. Name the session by its id or external id; without either a new one begins.",
  fields: (t) => ({
    sessionId: t.id({ description: "The global id of the session to speak in." }),
    externalId: t.string({ description: "Your own id of the session; it is made when it does not exist." }),
    agent: t.string({ description: "The agent's name; not needed with `sessionId`." }),
    content: t.string({ required: true, description: "The text." }),
    idempotencyKey: t.string({ description: "The same key and request answer with the same task." }),
    busyPolicy: t.field({ type: BusyPolicy, description: "What to do when the session is working." }),
    draft: t.field({
      type: "JSON",
      description:
        "A definition of the agent to try for this task alone. It is kept with the run and nowhere else. Needs the role EDITOR.",
    }),
    clientMutationId: t.string({ description: "Comes back in the answer." }),
  }),
});

interface SubmitTaskShape {
  __typename: "SubmitTaskSuccess";
  sessionId: string;
  taskId: string;
  runId: string;
  reused: boolean;
  cursor: string;
  clientMutationId: string | null;
}

const SubmitTaskSuccess = builder.objectRef<SubmitTaskShape>("SubmitTaskSuccess").implement({
  description: "The work is recorded and will be done, whatever happens to this process.",
  fields: (t) => ({
    session: t.field({ type: Session, description: "The conversation.", resolve: (done) => ({ id: done.sessionId }) }),
    task: t.field({ type: Task, description: "The task.", resolve: (done) => ({ id: done.taskId }) }),
    run: t.field({ type: Run, description: "The attempt that is queued.", resolve: (done) => ({ id: done.runId }) }),
    reused: t.exposeBoolean("reused", { description: "Whether the idempotency key found an earlier task." }),
    cursor: t.expose("cursor", { type: "Cursor", description: "Subscribe from here and miss nothing." }),
    clientMutationId: t.exposeString("clientMutationId", { nullable: true, description: "As it was sent." }),
  }),
});

export const SubmitTaskResult = builder.unionType("SubmitTaskResult", {
  description: "The accepted work, or why it is refused.",
  types: [SubmitTaskSuccess, NotFound, Forbidden, Invalid, Busy, IdempotencyConflict, SessionExpired, NotRetryable],
  resolveType: (value) => value.__typename,
});
export const submitRefusals = [
  "NotFound",
  "Forbidden",
  "Invalid",
  "Busy",
  "IdempotencyConflict",
  "SessionExpired",
] as const;

export const submitted = (done: SubmittedTask, clientMutationId: string | null | undefined): SubmitTaskShape => ({
  __typename: "SubmitTaskSuccess",
  sessionId: done.session.id,
  taskId: done.task.id,
  runId: done.run.id,
  reused: done.reused,
  cursor: done.cursor,
  clientMutationId: clientMutationId ?? null,
});

const RetryTaskInput = builder.inputType("RetryTaskInput", {
  description: "Which task to try again.",
  fields: (t) => ({
    taskId: t.id({ required: true, description: "The global id of the task." }),
    clientMutationId: t.string({ description: "Comes back in the answer." }),
  }),
});

const CancelTaskInput = builder.inputType("CancelTaskInput", {
  description: "Which task to cancel.",
  fields: (t) => ({
    taskId: t.id({ required: true, description: "The global id of the task." }),
    reason: t.string({ description: "Why, for whoever reads the conversation." }),
    clientMutationId: t.string({ description: "Comes back in the answer." }),
  }),
});

interface CancelTaskShape {
  __typename: "CancelTaskSuccess";
  taskId: string;
  clientMutationId: string | null;
}

const CancelTaskSuccess = builder.objectRef<CancelTaskShape>("CancelTaskSuccess").implement({
  description: "The task is cancelled; whatever still runs for it stops and can record nothing more.",
  fields: (t) => ({
    task: t.field({ type: Task, description: "The task.", resolve: (done) => ({ id: done.taskId }) }),
    clientMutationId: t.exposeString("clientMutationId", { nullable: true, description: "As it was sent." }),
  }),
});

const CancelTaskResult = builder.unionType("CancelTaskResult", {
  description: "The cancelled task, or why it cannot be cancelled.",
  types: [CancelTaskSuccess, NotFound, Forbidden, Invalid, NotCancellable],
  resolveType: (value) => value.__typename,
});

const CancelRunInput = builder.inputType("CancelRunInput", {
  description: "Which run to cancel.",
  fields: (t) => ({
    runId: t.id({ required: true, description: "The global id of the run." }),
    reason: t.string({ description: "Why, for whoever reads the conversation." }),
    clientMutationId: t.string({ description: "Comes back in the answer." }),
  }),
});

interface CancelRunShape {
  __typename: "CancelRunSuccess";
  runId: string;
  taskId: string;
  clientMutationId: string | null;
}

const CancelRunSuccess = builder.objectRef<CancelRunShape>("CancelRunSuccess").implement({
  description: "The run and its task are cancelled; whatever still executes it stops and can record nothing more.",
  fields: (t) => ({
    run: t.field({ type: Run, description: "The run.", resolve: (done) => ({ id: done.runId }) }),
    task: t.field({ type: Task, description: "Its task.", resolve: (done) => ({ id: done.taskId }) }),
    clientMutationId: t.exposeString("clientMutationId", { nullable: true, description: "As it was sent." }),
  }),
});

const CancelRunResult = builder.unionType("CancelRunResult", {
  description: "The cancelled run, or why it cannot be cancelled.",
  types: [CancelRunSuccess, NotFound, Forbidden, Invalid, NotCancellable],
  resolveType: (value) => value.__typename,
});

const sessionIdOf = (id: string | null | undefined): string | null =>
  id == null ? null : rowIdOf("Session", id, "sessionId");

builder.mutationFields((t) => ({
  submitTask: t.field({
    type: SubmitTaskResult,
    description: "Asks an agent for work. Answers when the work is recorded, without waiting for a model.",
    args: { input: t.arg({ type: SubmitTaskInput, required: true, description: "The work." }) },
    resolve: (_, { input: { clientMutationId, ...input } }, context) =>
      orRefused(submitRefusals, async () => {
        const authority = authorityWithRole(context, "OPERATOR");
        const work = { ...input, input: input.input, sessionId: sessionIdOf(input.sessionId) };
        return submitted(await submitTask(context.runtime, authority, work), clientMutationId);
      }),
  }),
  sendMessage: t.field({
    type: SubmitTaskResult,
    description: "Says something to an agent: submitTask for conversations.",
    args: { input: t.arg({ type: SendMessageInput, required: true, description: "The message." }) },
    resolve: (_, { input: { clientMutationId, ...input } }, context) =>
      orRefused(submitRefusals, async () => {
        const authority = authorityWithRole(context, "OPERATOR");
        const message = { ...input, sessionId: sessionIdOf(input.sessionId) };
        return submitted(await sendMessage(context.runtime, authority, message), clientMutationId);
      }),
  }),
  retryTask: t.field({
    type: SubmitTaskResult,
    description:
      "Tries a failed or cancelled task again, from where the conversation stood before its last run. What that run said leaves the conversation and stays in the log.",
    args: { input: t.arg({ type: RetryTaskInput, required: true, description: "Which one." }) },
    resolve: (_, { input }, context) =>
      orRefused(["NotFound", "Forbidden", "Invalid", "Busy", "SessionExpired", "NotRetryable"], async () => {
        const authority = authorityWithRole(context, "OPERATOR");
        const taskId = rowIdOf("Task", input.taskId, "taskId");
        return submitted(await retryTask(context.runtime, authority, { taskId }), input.clientMutationId);
      }),
  }),
  cancelTask: t.field({
    type: CancelTaskResult,
    description: "Cancels a task that has not ended.",
    args: { input: t.arg({ type: CancelTaskInput, required: true, description: "Which one." }) },
    resolve: (_, { input }, context) =>
      orRefused(["NotFound", "Forbidden", "Invalid", "NotCancellable"], async () => {
        const authority = authorityWithRole(context, "OPERATOR");
        const taskId = rowIdOf("Task", input.taskId, "taskId");
        await cancelTask(context.runtime, authority, { taskId, reason: input.reason });
        return {
          __typename: "CancelTaskSuccess" as const,
          taskId,
          clientMutationId: input.clientMutationId ?? null,
        };
      }),
  }),
  cancelRun: t.field({
    type: CancelRunResult,
    description: "Cancels a run that is queued or running, and its task with it; never a later attempt at the task.",
    args: { input: t.arg({ type: CancelRunInput, required: true, description: "Which one." }) },
    resolve: (_, { input }, context) =>
      orRefused(["NotFound", "Forbidden", "Invalid", "NotCancellable"], async () => {
        const authority = authorityWithRole(context, "OPERATOR");
        const runId = rowIdOf("Run", input.runId, "runId");
        const { taskId } = await cancelRun(context.runtime, authority, { runId, reason: input.reason });
        return {
          __typename: "CancelRunSuccess" as const,
          ...{ runId, taskId },
          clientMutationId: input.clientMutationId ?? null,
        };
      }),
  }),
}));
