import { type Authority, invalid, notFound } from "@wheelhouse/domain";
import type { SaveScheduleOutcome, ScheduleRecord } from "@wheelhouse/storage";
import type { RuntimeDeps } from "./deps.ts";
import { requireProjectReach } from "./project-authority.ts";
import { checkSchedule, type ScheduleInput } from "./schedule-input.ts";

/** Makes a schedule: from now on its work is submitted whenever its cron expression says so. */
export async function createSchedule(
  deps: RuntimeDeps,
  authority: Authority,
  input: ScheduleInput,
): Promise<ScheduleRecord> {
  requireProjectReach(authority);
  const settings = await checkSchedule(deps, authority, input, null);
  const at = deps.clock.now();
  return savedSchedule(await deps.storage.schedules.create(authority, { id: deps.newId(), settings, at }));
}

/** The schedule as it was written, or why it was not. */
export function savedSchedule(outcome: SaveScheduleOutcome): ScheduleRecord {
  switch (outcome.outcome) {
    case "created":
    case "updated":
      return outcome.schedule;
    case "nameTaken":
      throw invalid("name", "another schedule of the project has this name");
    case "forbidden":
    case "notFound":
      throw notFound("Schedule");
  }
}
