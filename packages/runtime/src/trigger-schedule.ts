import type { Authority } from "@wheelhouse/domain";
import { checkName, requireRole } from "./check-input.ts";
import type { RuntimeDeps } from "./deps.ts";
import { found } from "./project-authority.ts";
import { submitScheduled } from "./submit-scheduled.ts";
import type { SubmittedTask } from "./submit-task.ts";

export interface TriggerScheduleInput {
  scheduleId: string;
  idempotencyKey?: string | null | undefined;
}

/** Submits the work of a schedule now, whether or not it is enabled. When it is due next does not change. */
export async function triggerSchedule(
  deps: RuntimeDeps,
  authority: Authority,
  input: TriggerScheduleInput,
): Promise<SubmittedTask> {
  requireRole(authority, "OPERATOR");
  const key = checkName("idempotencyKey", input.idempotencyKey);
  const schedule = found("Schedule", await deps.storage.schedules.get(authority, input.scheduleId));
  const submitted = await submitScheduled(deps, schedule, { key, scheduledFor: null });
  await deps.storage.schedules.noteTask({ id: schedule.id, taskId: submitted.task.id, at: deps.clock.now() });
  return submitted;
}
