import { type Authority, invalid, notFound, Refusal, storableText } from "@wheelhouse/domain";
import type { TaskRecord } from "@wheelhouse/storage";
import { requireRole } from "./check-input.ts";
import type { RuntimeDeps } from "./deps.ts";

const maxReasonLength = 500;

export interface CancelTaskInput {
  taskId: string;
  reason?: string | null | undefined;
}

/**
 * Cancels a task, queued, running or waiting. It is cancelled when this answers; whoever executes it stops on the
 * wake-up and can write nothing more. A task that has ended refuses with NOT_CANCELLABLE (`detail.taskId`, `.status`).
 */
export async function cancelTask(
  deps: Pick<RuntimeDeps, "storage" | "clock">,
  authority: Authority,
  input: CancelTaskInput,
): Promise<TaskRecord> {
  requireRole(authority, "OPERATOR");
  const reason = input.reason?.trim() || `Cancelled by ${authority.actor.name}`;
  if (reason.length > maxReasonLength) throw invalid("reason", `must not be longer than ${maxReasonLength} characters`);
  const outcome = await deps.storage.tasks.cancel(authority, {
    taskId: input.taskId,
    reason: storableText(reason),
    at: deps.clock.now(),
  });
  if (outcome.outcome === "notFound") throw notFound("Task");
  if (outcome.outcome === "notCancellable")
    throw new Refusal("NOT_CANCELLABLE", `The task has ended already: ${outcome.status}`, {
      detail: { taskId: input.taskId, status: outcome.status },
    });
  const task = await deps.storage.tasks.get(authority, input.taskId);
  if (task === null) throw notFound("Task");
  return task;
}
