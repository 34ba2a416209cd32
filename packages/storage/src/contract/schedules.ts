import { describe, expect, it } from "vitest";
import type { SaveScheduleOutcome, ScheduleRecord, ScheduleSettings } from "../schedules.ts";
import type { ContractWorld, OpenContractWorld } from "./contract-world.ts";
import { submit, useWorld } from "./sample-work.ts";

export const scheduleSettings = (more: Partial<ScheduleSettings> = {}): ScheduleSettings => ({
  name: "nightly",
  cron: "30 2 * * *",
  timeZone: "Europe/Berlin",
  overlapPolicy: "SKIP",
  sessionPolicy: "SAME",
  agentName: "guide",
  scope: { project: "acme", team: "blue" },
  input: { messages: [{ role: "user", content: "Good night\0" }] },
  enabled: true,
  nextAt: null,
  ...more,
});

export function saved(outcome: SaveScheduleOutcome): ScheduleRecord {
  if (!("schedule" in outcome)) throw new Error(`The schedule was not saved: ${outcome.outcome}`);
  return outcome.schedule;
}

export const makeSchedule = async (world: ContractWorld, more: Partial<ScheduleSettings> = {}) =>
  saved(
    await world.storage.schedules.create(world.authority(), {
      id: world.newId(),
      settings: scheduleSettings({ name: `s-${world.newId()}`, ...more }),
      at: world.clock.now(),
    }),
  );

/** Work that is submitted by the clock: kept, found when it is due, settled once. */
export function schedulesContract(openWorld: OpenContractWorld): void {
  describe("schedules", () => {
    const world = useWorld(openWorld);
    const soon = () => new Date(world().clock.now().getTime() + 60_000);
    const dueIds = async () =>
      (await world().storage.schedules.due({ at: world().clock.now(), limit: 10 })).map(({ id }) => id);

    it("are kept as they were given, and changed in part", async () => {
      const made = await makeSchedule(world(), { name: "kept", nextAt: soon() });
      expect(made).toMatchObject({
        ...scheduleSettings({ name: "kept", nextAt: soon() }),
        input: { messages: [{ role: "user", content: "Good night\uFFFD" }] },
        projectSlug: "acme",
        lastAt: null,
        lastTaskId: null,
        lastError: null,
      });
      const { schedules } = world().storage;
      expect(await schedules.get(world().authority(), made.id)).toEqual(made);
      const settings = { overlapPolicy: "ENQUEUE", enabled: false, input: null, nextAt: null } as const;
      const changed = await schedules.update(world().authority(), made.id, { settings, at: world().clock.now() });
      expect(saved(changed)).toEqual({ ...made, ...settings });
      expect(await schedules.delete(world().authority(), made.id)).toBe(true);
      expect(await schedules.delete(world().authority(), made.id)).toBe(false);
      expect(await schedules.get(world().authority(), made.id)).toBeNull();
    });

    it("have one name in a project, also when they are renamed", async () => {
      const { schedules } = world().storage;
      const at = world().clock.now();
      const [first, second] = [await makeSchedule(world()), await makeSchedule(world())];
      const settings = scheduleSettings({ name: first.name });
      expect(await schedules.create(world().authority(), { id: world().newId(), settings, at })).toEqual({
        outcome: "nameTaken",
      });
      expect(await schedules.update(world().authority(), second.id, { settings, at })).toEqual({
        outcome: "nameTaken",
      });
      const elsewhere = world().authority({ projectId: world().otherProjectId, scope: { project: "globex" } });
      const other = await schedules.create(elsewhere, { id: world().newId(), settings, at });
      expect(saved(other).projectSlug).toBe("globex");
    });

    it("are due from their time on, those due longest first, and only while they are enabled", async () => {
      const late = await makeSchedule(world(), { nextAt: new Date(world().clock.now().getTime() - 1) });
      const now = await makeSchedule(world(), { nextAt: world().clock.now() });
      await makeSchedule(world(), { nextAt: soon() });
      await makeSchedule(world(), { nextAt: world().clock.now(), enabled: false });
      expect(await dueIds()).toEqual([late.id, now.id]);
      const { schedules } = world().storage;
      for (const { id, nextAt } of [late, now])
        if (nextAt !== null)
          await schedules.settle({ id, dueAt: nextAt, nextAt: null, error: null, at: world().clock.now() });
      expect(await dueIds()).toEqual([]);
    });

    it("are settled once for each time they are due", async () => {
      const { schedules } = world().storage;
      const dueAt = world().clock.now();
      const { id } = await makeSchedule(world(), { nextAt: dueAt });
      const { task } = await submit(world());
      const outcome = { id, dueAt, nextAt: soon(), taskId: task.id, error: null, at: dueAt };
      const won = await Promise.all([schedules.settle(outcome), schedules.settle(outcome), schedules.settle(outcome)]);
      expect(won.filter(Boolean)).toHaveLength(1);
      const after = { nextAt: soon(), lastAt: dueAt, lastTaskId: task.id, lastError: null };
      expect(await schedules.get(world().authority(), id)).toMatchObject(after);
      const refused = { id, dueAt: soon(), nextAt: null, error: "BUSY: left out", at: world().clock.now() };
      expect(await schedules.settle(refused)).toBe(true);
      expect(await schedules.get(world().authority(), id)).toMatchObject({
        ...{ nextAt: null, lastAt: soon(), lastTaskId: task.id, lastError: "BUSY: left out" },
      });
    });

    it("forget a task that is deleted, and remember one that was asked for by hand", async () => {
      const { schedules } = world().storage;
      const { id } = await makeSchedule(world());
      const { task, session } = await submit(world());
      await schedules.noteTask({ id, taskId: task.id, at: world().clock.now() });
      expect(await schedules.get(world().authority(), id)).toMatchObject({ lastTaskId: task.id });
      await world().models.session.delete({ where: { id: session.id } });
      expect(await schedules.get(world().authority(), id)).toMatchObject({ lastTaskId: null });
    });
  });
}
