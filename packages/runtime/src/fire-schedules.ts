import { Refusal } from "@wheelhouse/domain";
import type { ScheduleRecord } from "@wheelhouse/storage";
import { nextTime } from "./cron.ts";
import type { RuntimeDeps } from "./deps.ts";
import type { PeriodicWork } from "./periodic-work.ts";
import { submitScheduled } from "./submit-scheduled.ts";

/** Schedules looked at together; the rest follows at once. */
const batch = 100;

/** Submits the work of every schedule that is due. */
export const fireSchedules: PeriodicWork = {
  name: "fire schedules",
  everyMs: ({ duePollMs }) => duePollMs,
  async sweep(deps, signal) {
    for (;;) {
      const due = await deps.storage.schedules.due({ at: deps.clock.now(), limit: batch });
      let failed = 0;
      for (const schedule of due) {
        if (signal.aborted) return;
        try {
          await fire(deps, schedule);
        } catch (error) {
          // It stays due, and holds up no other.
          failed++;
          deps.log.error({ err: error, scheduleId: schedule.id }, "a schedule could not be fired and is tried again");
        }
      }
      if (due.length < batch || failed > 0) return;
    }
  },
};

/**
 * Submits under a key made of the schedule and the time it was due for, then writes down when it is due next: whoever
 * else fires it, or fires it again after a crash between the two, gets the same task. However many times were missed
 * while nobody was there, it fires once, and is due next in the future.
 */
async function fire(deps: RuntimeDeps, schedule: ScheduleRecord): Promise<void> {
  const { id, nextAt: dueAt } = schedule;
  if (dueAt === null) return;
  const outcome = await submitted(deps, schedule, dueAt);
  const at = deps.clock.now();
  const nextAt = nextTime(schedule, new Date(Math.max(at.getTime(), dueAt.getTime())));
  await deps.storage.schedules.settle({ id, dueAt, nextAt, at, ...outcome });
}

async function submitted(
  deps: RuntimeDeps,
  schedule: ScheduleRecord,
  dueAt: Date,
): Promise<{ taskId?: string; error: string | null }> {
  try {
    const key = `schedule:${schedule.id}:${dueAt.toISOString()}`;
    const { task } = await submitScheduled(deps, schedule, { key, scheduledFor: dueAt });
    return { taskId: task.id, error: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    deps.log.warn({ scheduleId: schedule.id, code: error.code }, "no work came of a schedule that was due");
    return { error: `${error.code}: ${error.message}` };
  }
}
