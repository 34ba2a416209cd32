import type { Authority } from "@wheelhouse/domain";
import type { ScheduleRecord } from "@wheelhouse/storage";
import { requireRole } from "./check-input.ts";
import { savedSchedule } from "./create-schedule.ts";
import type { RuntimeDeps } from "./deps.ts";
import { found } from "./project-authority.ts";
import { checkSchedule, type ScheduleInput } from "./schedule-input.ts";

/** Changes a schedule; what is absent stays. It is due next as its settings say from now on: what it missed is not made up. */
export async function updateSchedule(
  deps: RuntimeDeps,
  authority: Authority,
  { scheduleId, ...input }: ScheduleInput & { scheduleId: string },
): Promise<ScheduleRecord> {
  requireRole(authority, "OPERATOR");
  const before = found("Schedule", await deps.storage.schedules.get(authority, scheduleId));
  const settings = await checkSchedule(deps, authority, input, before);
  return savedSchedule(await deps.storage.schedules.update(authority, scheduleId, { settings, at: deps.clock.now() }));
}
