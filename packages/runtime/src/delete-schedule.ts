import { type Authority, notFound } from "@wheelhouse/domain";
import { requireRole } from "./check-input.ts";
import type { RuntimeDeps } from "./deps.ts";

/** Deletes a schedule. The conversations that it began stay. */
export async function deleteSchedule(
  deps: Pick<RuntimeDeps, "storage">,
  authority: Authority,
  scheduleId: string,
): Promise<void> {
  requireRole(authority, "OPERATOR");
  if (!(await deps.storage.schedules.delete(authority, scheduleId))) throw notFound("Schedule");
}
