import { invalid, OverlapPolicy as OverlapPolicyWord, SessionPolicy as SessionPolicyWord } from "@wheelhouse/domain";
import {
  createSchedule,
  cronIssue,
  deleteSchedule,
  nextTimes,
  timeZoneIssue,
  triggerSchedule,
  updateSchedule,
} from "@wheelhouse/runtime";
import { visibleTo } from "@wheelhouse/storage/models";
import { forwardArguments } from "./arguments.ts";
import { builder } from "./builder.ts";
import { connectionType, rowPaths } from "./connection.ts";
import { authorityOf, authorityWithRole } from "./context.ts";
import { OverlapPolicy, SessionPolicy } from "./enums.ts";
import { globalId, rowIdOf } from "./global-id.ts";
import { countCap, type Order, textKey } from "./keyset.ts";
import { Schedule } from "./refs.ts";
import { Forbidden, Invalid, NotFound, orRefused } from "./refusals.ts";
import { rootPage } from "./root-list.ts";
import { rowQuery } from "./row-query.ts";
import { SubmitTaskResult, submitRefusals, submitted } from "./task.ts";

/** Most times that are foretold at once. */
const maxTimes = 20;

builder.prismaObjectFields(Schedule, (t) => ({
  id: t.id({ description: "The global id.", resolve: (schedule) => globalId("Schedule", schedule.id) }),
  name: t.exposeString("name", { description: "The name, unique in the project." }),
  cron: t.exposeString("cron", { description: "Minute, hour, day of the month, month, day of the week." }),
  timeZone: t.exposeString("timeZone", { description: "The IANA time zone in which the fields are meant." }),
  overlapPolicy: t.field({
    type: OverlapPolicy,
    select: { overlapPolicy: true },
    description: "What happens when it is due while its work before goes on.",
    resolve: (schedule) => OverlapPolicyWord.parse(schedule.overlapPolicy),
  }),
  sessionPolicy: t.field({
    type: SessionPolicy,
    select: { sessionPolicy: true },
    description: "Where it works.",
    resolve: (schedule) => SessionPolicyWord.parse(schedule.sessionPolicy),
  }),
  agent: t.exposeString("agentName", { description: "The name of the agent that does it." }),
  scope: t.expose("scope", { type: "JSON", description: "The scope in which it works." }),
  input: t.expose("input", { type: "JSON", description: "What the agent gets each time." }),
  enabled: t.exposeBoolean("enabled", { description: "Whether it is ever due." }),
  nextAt: t.expose("nextAt", { type: "DateTime", nullable: true, description: "When it is due next." }),
  nextTimes: t.field({
    type: ["DateTime"],
    select: { cron: true, timeZone: true, enabled: true },
    args: { first: t.arg.int({ description: `How many, 0 to ${maxTimes}; 5 when absent.` }) },
    description: "When it is due from now on; empty while it is disabled.",
    resolve: (schedule, { first }, context) => {
      const count = timeCount(first);
      return schedule.enabled ? nextTimes(schedule, context.runtime.clock.now(), count) : [];
    },
  }),
  lastAt: t.expose("lastAt", { type: "DateTime", nullable: true, description: "The time it was last due for." }),
  lastTask: t.relation("lastTask", { nullable: true, description: "The last task that came of it." }),
  lastError: t.exposeString("lastError", {
    nullable: true,
    description: "Why no work came of the last time; null when it did.",
  }),
  createdAt: t.expose("createdAt", { type: "DateTime", description: "When it was made." }),
  updatedAt: t.expose("updatedAt", { type: "DateTime", description: "When it last changed, or was last due." }),
}));

function timeCount(first: number | null | undefined): number {
  const count = first ?? 5;
  if (count < 0 || count > maxTimes) throw invalid("first", `use 0 to ${maxTimes}`);
  return count;
}

const ScheduleConnection = connectionType<{ id: string }>("Schedule", Schedule);

type NameRow = { id: string; name: string };
const byName: Order<NameRow, string, { name: object }, { name: "asc" | "desc" }> = {
  name: "NAME",
  direction: "asc",
  read: (row) => row.name,
  parse: textKey,
  where: (name) => ({ name }),
  orderBy: (name) => ({ name }),
};

builder.queryFields((t) => ({
  schedules: t.field({
    type: ScheduleConnection,
    description: "The project's schedules, by name. A caller of exact scope has none.",
    args: forwardArguments,
    resolve: (_, args, context, info) => {
      const where = visibleTo(authorityOf(context)).schedule;
      const select = { id: true, name: true } as const;
      const query = rowQuery({ context, info, typeName: "Schedule", paths: rowPaths, select });
      return rootPage<NameRow, string, { name: object }, { name: "asc" | "desc" }>({
        list: "schedules",
        order: byName,
        args,
        find: (read) => context.prisma.schedule.findMany({ ...query, ...read, where: { AND: [where, read.where] } }),
        count: () => context.prisma.schedule.count({ where, take: countCap + 1 }),
      });
    },
  }),
  schedule: t.prismaField({
    type: Schedule,
    nullable: true,
    description: "A schedule by its id; null when there is none.",
    args: { id: t.arg.id({ required: true, description: "Its global id." }) },
    resolve: (query, _, args, context) =>
      context.prisma.schedule.findFirst({
        ...query,
        where: { AND: [visibleTo(authorityOf(context)).schedule, { id: rowIdOf("Schedule", args.id, "id") }] },
      }),
  }),
  cronTimes: t.field({
    type: ["DateTime"],
    description: "When a schedule with this cron expression would be due from now on.",
    args: {
      cron: t.arg.string({ required: true, description: "The five fields." }),
      timeZone: t.arg.string({ required: true, description: "The IANA time zone in which they are meant." }),
      first: t.arg.int({ description: `How many, 0 to ${maxTimes}; 5 when absent.` }),
    },
    resolve: (_, { cron, timeZone, first }, context) => {
      authorityOf(context);
      const count = timeCount(first);
      const cronMessage = cronIssue(cron);
      if (cronMessage !== null) throw invalid("cron", cronMessage);
      const zoneMessage = timeZoneIssue(timeZone);
      if (zoneMessage !== null) throw invalid("timeZone", zoneMessage);
      return nextTimes({ cron, timeZone }, context.runtime.clock.now(), count);
    },
  }),
}));

const CreateScheduleInput = builder.inputType("CreateScheduleInput", {
  description: "A new schedule.",
  fields: (t) => ({
    name: t.string({ required: true, description: "The name, unique in the project; at most 100 characters." }),
    cron: t.string({ required: true, description: "Minute, hour, day of the month, month, day of the week." }),
    timeZone: t.string({ description: "The IANA time zone in which the fields are meant; UTC when absent." }),
    overlapPolicy: t.field({ type: OverlapPolicy, description: "SKIP when absent." }),
    sessionPolicy: t.field({ type: SessionPolicy, description: "SAME when absent." }),
    agent: t.string({ required: true, description: "The name of the agent that does it." }),
    scope: t.field({ type: "JSON", description: "The scope in which it works; the project alone when absent." }),
    input: t.field({
      type: "JSON",
      required: true,
      description: "What the agent gets each time, by its input schema.",
    }),
    enabled: t.boolean({ description: "True when absent." }),
    clientMutationId: t.string({ description: "For your own bookkeeping." }),
  }),
});

const UpdateScheduleInput = builder.inputType("UpdateScheduleInput", {
  description: "What to change; what is absent stays. Times that passed meanwhile are not made up.",
  fields: (t) => ({
    scheduleId: t.id({ required: true, description: "The global id of the schedule." }),
    name: t.string({ description: "The name; a schedule of another name works in another session." }),
    cron: t.string({ description: "Minute, hour, day of the month, month, day of the week." }),
    timeZone: t.string({ description: "The IANA time zone in which the fields are meant." }),
    overlapPolicy: t.field({ type: OverlapPolicy, description: "What happens when its work before goes on." }),
    sessionPolicy: t.field({ type: SessionPolicy, description: "Where it works." }),
    agent: t.string({ description: "The name of the agent that does it." }),
    scope: t.field({ type: "JSON", description: "The scope in which it works." }),
    input: t.field({ type: "JSON", description: "What the agent gets each time." }),
    enabled: t.boolean({ description: "Whether it is ever due." }),
    clientMutationId: t.string({ description: "For your own bookkeeping." }),
  }),
});

const DeleteScheduleInput = builder.inputType("DeleteScheduleInput", {
  description: "Which schedule to delete.",
  fields: (t) => ({
    scheduleId: t.id({ required: true, description: "The global id of the schedule." }),
    clientMutationId: t.string({ description: "Comes back in the answer." }),
  }),
});

const TriggerScheduleInput = builder.inputType("TriggerScheduleInput", {
  description: "Which schedule's work to submit now.",
  fields: (t) => ({
    scheduleId: t.id({ required: true, description: "The global id of the schedule." }),
    idempotencyKey: t.string({ description: "The same key answers with the same task." }),
    clientMutationId: t.string({ description: "Comes back in the answer." }),
  }),
});

const SaveScheduleResult = builder.unionType("SaveScheduleResult", {
  description: "The schedule as it is now, or why it is refused.",
  types: [Schedule, NotFound, Forbidden, Invalid],
  resolveType: (value) => ("__typename" in value ? value.__typename : "Schedule"),
});

interface DeletedShape {
  __typename: "DeleteScheduleSuccess";
  id: string;
  clientMutationId: string | null;
}

const DeleteScheduleSuccess = builder.objectRef<DeletedShape>("DeleteScheduleSuccess").implement({
  description: "The schedule is gone; the conversations that it began stay.",
  fields: (t) => ({
    deletedId: t.id({ description: "The global id it had.", resolve: (done) => globalId("Schedule", done.id) }),
    clientMutationId: t.exposeString("clientMutationId", { nullable: true, description: "As it was sent." }),
  }),
});

const DeleteScheduleResult = builder.unionType("DeleteScheduleResult", {
  description: "That it is gone, or why it is refused.",
  types: [DeleteScheduleSuccess, NotFound, Forbidden, Invalid],
  resolveType: (value) => value.__typename,
});

const named = <Name extends string>(__typename: Name, id: string) => ({ __typename, id });
const refusals = ["NotFound", "Forbidden", "Invalid"] as const;

builder.mutationFields((t) => ({
  createSchedule: t.field({
    type: SaveScheduleResult,
    description: "Makes a schedule.",
    args: { input: t.arg({ type: CreateScheduleInput, required: true, description: "The schedule." }) },
    resolve: (_, { input }, context) =>
      orRefused(refusals, async () => {
        const schedule = await createSchedule(context.runtime, authorityWithRole(context, "OPERATOR"), input);
        return named("Schedule", schedule.id);
      }),
  }),
  updateSchedule: t.field({
    type: SaveScheduleResult,
    description: "Changes a schedule.",
    args: { input: t.arg({ type: UpdateScheduleInput, required: true, description: "The change." }) },
    resolve: (_, { input }, context) =>
      orRefused(refusals, async () => {
        const scheduleId = rowIdOf("Schedule", input.scheduleId, "scheduleId");
        const authority = authorityWithRole(context, "OPERATOR");
        const schedule = await updateSchedule(context.runtime, authority, { ...input, scheduleId });
        return named("Schedule", schedule.id);
      }),
  }),
  deleteSchedule: t.field({
    type: DeleteScheduleResult,
    description: "Deletes a schedule.",
    args: { input: t.arg({ type: DeleteScheduleInput, required: true, description: "Which one." }) },
    resolve: (_, { input }, context) =>
      orRefused(refusals, async () => {
        const id = rowIdOf("Schedule", input.scheduleId, "scheduleId");
        await deleteSchedule(context.runtime, authorityWithRole(context, "OPERATOR"), id);
        return { ...named("DeleteScheduleSuccess", id), clientMutationId: input.clientMutationId ?? null };
      }),
  }),
  triggerSchedule: t.field({
    type: SubmitTaskResult,
    description: "Submits a schedule's work now. When it is due next stays as it is.",
    args: { input: t.arg({ type: TriggerScheduleInput, required: true, description: "Which one." }) },
    resolve: (_, { input: { clientMutationId, ...input } }, context) =>
      orRefused(submitRefusals, async () => {
        const scheduleId = rowIdOf("Schedule", input.scheduleId, "scheduleId");
        const authority = authorityWithRole(context, "OPERATOR");
        return submitted(await triggerSchedule(context.runtime, authority, { ...input, scheduleId }), clientMutationId);
      }),
  }),
}));
