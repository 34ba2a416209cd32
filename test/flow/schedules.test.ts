import {
  createSchedule,
  fireSchedules,
  type RuntimeDeps,
  type ScheduleInput,
  triggerSchedule,
  updateSchedule,
} from "@wheelhouse/runtime";
import type { Storage } from "@wheelhouse/storage";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FlowWorld, openFlowWorld, runToEnd, storageKinds } from "./flow-world.ts";

const never = new AbortController().signal;
const chat = (content: string) => ({ messages: [{ role: "user", content }] });
const minuteMs = 60_000;

describe.each(storageKinds)("schedules on %s", (kind) => {
  let world: FlowWorld;
  beforeAll(async () => {
    world = await openFlowWorld(kind);
    world.work();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  let made = 0;
  /** The only schedule there is, due every minute. */
  async function schedule(input: ScheduleInput = {}) {
    await world.rows.schedule.deleteMany();
    const name = `each minute ${++made}`;
    const record = await createSchedule(world.deps, world.authority, {
      ...{ name, cron: "* * * * *", agent: "echo", input: chat("hello") },
      ...input,
    });
    return { ...record, externalId: `schedule:${record.name}` };
  }
  const sweep = (deps: RuntimeDeps = world.deps) => fireSchedules.sweep(deps, never);
  const row = (id: string) => world.rows.schedule.findUniqueOrThrow({ where: { id } });
  /** What came of a schedule, in order. */
  const tasksOf = async (name: string) => {
    const all = await world.rows.task.findMany({ orderBy: [{ createdAt: "asc" }, { id: "asc" }] });
    return all.filter(({ metadata }) => JSON.stringify(metadata).includes(`"schedule":${JSON.stringify(name)}`));
  };
  async function nextMinute() {
    world.advance(minuteMs);
    await sweep();
  }
  async function finished(name: string) {
    const tasks = await tasksOf(name);
    for (const { lastRunId } of tasks) if (lastRunId !== null) await runToEnd(world, lastRunId);
    return tasksOf(name);
  }

  it("submit their work when they are due, in one conversation that goes on", async () => {
    const { id, name, externalId, nextAt } = await schedule();
    await sweep();
    expect(await tasksOf(name)).toEqual([]);
    await nextMinute();
    await finished(name);
    await nextMinute();
    const tasks = await finished(name);
    expect(tasks.map(({ status }) => status)).toEqual(["COMPLETED", "COMPLETED"]);
    expect(new Set(tasks.map(({ sessionId }) => sessionId)).size).toBe(1);
    const session = await world.rows.session.findFirstOrThrow({ where: { externalId } });
    expect(session.scope).toEqual({ project: "flow" });
    expect(tasks[0]).toMatchObject({
      metadata: { schedule: name, scheduledFor: nextAt?.toISOString() },
      idempotencyKey: `schedule:${id}:${nextAt?.toISOString()}`,
    });
    expect(await row(id)).toMatchObject({ lastTaskId: tasks[1]?.id, lastError: null });
  });

  it("begin a new conversation each time when they should, in the scope that they have", async () => {
    const scope = { project: "flow", team: "blue" };
    const { name } = await schedule({ sessionPolicy: "NEW", overlapPolicy: "ALLOW", scope });
    await nextMinute();
    await nextMinute();
    const tasks = await tasksOf(name);
    const sessions = await world.rows.session.findMany({ where: { id: { in: tasks.map((task) => task.sessionId) } } });
    expect(sessions.map((session) => session.scope)).toEqual([scope, scope]);
  });

  it("fire once for all the times that passed while nobody was there", async () => {
    const { id, name, nextAt } = await schedule();
    world.advance(60 * minuteMs);
    await sweep();
    await sweep();
    expect(await tasksOf(name)).toHaveLength(1);
    const after = await row(id);
    expect(after.lastAt).toEqual(nextAt);
    const ahead = (after.nextAt?.getTime() ?? 0) - world.deps.clock.now().getTime();
    expect(ahead).toBeGreaterThan(0);
    expect(ahead).toBeLessThanOrEqual(minuteMs);
  });

  it("fire once when replicas race", async () => {
    const { name } = await schedule();
    world.advance(minuteMs);
    await Promise.all([sweep(), sweep(), sweep(), sweep()]);
    expect(await tasksOf(name)).toHaveLength(1);
  });

  it("fire once when a process dies between submitting and writing it down", async () => {
    const { id, name } = await schedule();
    world.advance(minuteMs);
    const schedules: Storage["schedules"] = {
      ...world.deps.storage.schedules,
      settle: () => Promise.reject(new Error("this process was killed")),
    };
    const storage = new Proxy(world.deps.storage, {
      get: (target, name) => (name === "schedules" ? schedules : Reflect.get(target, name)),
    });
    await sweep({ ...world.deps, storage });
    await finished(name);
    expect(await row(id)).toMatchObject({ lastTaskId: null });
    world.advance(2 * minuteMs);
    await sweep();
    const tasks = await tasksOf(name);
    expect(tasks).toHaveLength(1);
    expect(await row(id)).toMatchObject({ lastTaskId: tasks[0]?.id, lastError: null });
  });

  it.each([
    ["SKIP", "SAME", ["WORKING"], /BUSY: Left out/],
    ["SKIP", "NEW", ["WORKING"], /BUSY: Left out/],
    ["ENQUEUE", "SAME", ["WORKING", "SUBMITTED"], null],
    ["INTERRUPT", "SAME", ["CANCELLED", "WORKING"], null],
    ["INTERRUPT", "NEW", ["CANCELLED", "WORKING"], null],
    ["ALLOW", "NEW", ["WORKING", "WORKING"], null],
  ])(
    "with %s in %s session leave their work before as it should be",
    async (overlapPolicy, sessionPolicy, wanted, error) => {
      const gate = `${overlapPolicy} ${sessionPolicy} ${kind}`.replaceAll(" ", "-");
      const { id, name } = await schedule({ overlapPolicy, sessionPolicy, input: chat(`wait ${gate}`) });
      await nextMinute();
      await world.gates.reached(gate);
      await nextMinute();
      const statuses = async () => (await tasksOf(name)).map(({ status }) => status);
      // The second run is taken up by the worker in its own time.
      await expect.poll(statuses).toEqual(wanted);
      const { lastError } = await row(id);
      if (error === null) expect(lastError).toBeNull();
      else expect(lastError).toMatch(error);
      world.gates.open(gate);
      await finished(name);
      await nextMinute();
      expect((await row(id)).lastError).toBeNull();
      await finished(name);
    },
  );

  it("say why no work came of them, and go on", async () => {
    const { id, name, externalId } = await schedule();
    await nextMinute();
    await finished(name);
    await world.rows.session.updateMany({ where: { externalId }, data: { status: "EXPIRED" } });
    await nextMinute();
    expect((await row(id)).lastError).toMatch(/^SESSION_EXPIRED: /);
    expect((await row(id)).nextAt?.getTime()).toBeGreaterThan(world.deps.clock.now().getTime());
    await world.rows.schedule.update({ where: { id }, data: { agentName: "gone" } });
    await nextMinute();
    expect((await row(id)).lastError).toBe('AGENT_NOT_FOUND: There is no agent named "gone"');
  });

  it("can be triggered by hand, whenever they are due", async () => {
    const { id, name, nextAt } = await schedule({ enabled: false, overlapPolicy: "ENQUEUE" });
    expect(nextAt).toBeNull();
    const key = { scheduleId: id, idempotencyKey: "by hand" };
    const [first, second] = [
      await triggerSchedule(world.deps, world.authority, key),
      await triggerSchedule(world.deps, world.authority, key),
    ];
    expect([first.reused, second.reused, second.task.id]).toEqual([false, true, first.task.id]);
    expect(first.session.externalId).toBe(`schedule:${name}`);
    expect(await row(id)).toMatchObject({ lastTaskId: first.task.id, nextAt: null });
    await runToEnd(world, first.run.id);
  });

  it("are not due while they are disabled, and make up nothing when they are enabled again", async () => {
    const { id, name } = await schedule();
    await updateSchedule(world.deps, world.authority, { scheduleId: id, enabled: false });
    world.advance(10 * minuteMs);
    await sweep();
    const again = await updateSchedule(world.deps, world.authority, { scheduleId: id, enabled: true });
    await sweep();
    expect(await tasksOf(name)).toEqual([]);
    expect(again.nextAt?.getTime()).toBeGreaterThan(world.deps.clock.now().getTime());
  });

  it("refuse callers of one scope, viewers, and every field that makes no sense", async () => {
    const { id } = await schedule();
    const input = { name: "x", cron: "* * * * *", agent: "echo", input: chat("hello") };
    const refused = (by: Partial<typeof world.authority>, change: ScheduleInput = {}) =>
      createSchedule(world.deps, world.as(by), { ...input, ...change }).then(
        () => "made",
        (error: { code: string; issues: { path: string }[] }) =>
          [error.code, ...error.issues.map(({ path }) => path)].join(" "),
      );
    expect(await refused({ reach: "EXACT" })).toBe("FORBIDDEN");
    expect(await refused({ role: "VIEWER" })).toBe("FORBIDDEN");
    const wrong = { name: " ", cron: "@daily", timeZone: "Mars/Base", agent: "", overlapPolicy: "ALLOW" };
    expect(await refused({}, wrong)).toBe("INVALID_INPUT name cron timeZone agent overlapPolicy");
    expect(await refused({}, { overlapPolicy: "ENQUEUE", sessionPolicy: "NEW" })).toBe("INVALID_INPUT overlapPolicy");
    expect(await refused({}, { agent: "nobody" })).toBe("AGENT_NOT_FOUND");
    expect(await refused({}, { agent: "typed", input: { topic: "x" } })).toBe("INVALID_INPUT input.topic");
    expect(await refused({}, { scope: { project: "other" } })).toBe("INVALID_INPUT scope");
    const stranger = world.as({ reach: "EXACT" });
    await expect(updateSchedule(world.deps, stranger, { scheduleId: id, enabled: false })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await expect(triggerSchedule(world.deps, stranger, { scheduleId: id })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });
});
