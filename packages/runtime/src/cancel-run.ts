import { type Authority, notFound } from "@wheelhouse/domain";
import type { RunRecord } from "@wheelhouse/storage";
import { cancel } from "./cancel-task.ts";
import type { RuntimeDeps } from "./deps.ts";

export interface CancelRunInput {
  runId: string;
  reason?: string | null | undefined;
}

/**
 * Cancels one attempt, queued or running, and its task with it. Unlike `cancelTask` it never hits a later attempt that the
 * caller does not know of: when the run has ended it refuses with NOT_CANCELLABLE (`detail.taskId`, `.status`).
 */
export async function cancelRun(
  deps: Pick<RuntimeDeps, "storage" | "clock">,
  authority: Authority,
  input: CancelRunInput,
): Promise<RunRecord> {
  await cancel(deps, authority, { runId: input.runId }, input.reason);
  const run = await deps.storage.runs.get(authority, input.runId);
  if (run === null) throw notFound("Run");
  return run;
}
