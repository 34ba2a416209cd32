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
  const taskId = await cancel(deps, authority, { taskId: input.taskId }, input.reason);
  const task = await deps.storage.tasks.get(authority, taskId);
  if (task === null) throw notFound("Task");
  return task;
}

/**
 * Cancels what is asked for, if it has not ended, and answers the task's id. A task that waits for a human can be
 * cancelled; a run that ended waiting cannot.
 */
export async function cancel(
  { storage, clock }: Pick<RuntimeDeps, "storage" | "clock">,
  authority: Authority,
  which: { taskId: string } | { runId: string },
  why: string | null | undefined,
): Promise<string> {
  requireRole(authority, "OPERATOR");
  const reason = why?.trim() || `Cancelled by ${authority.actor.name}`;
  if (reason.length > maxReasonLength) throw invalid("reason", `must not be longer than ${maxReasonLength} characters`);
  const what = "taskId" in which ? "Task" : "Run";
  const outcome = await storage.tasks.cancel(authority, {
    ...which,
    reason: storableText(reason),
    at: clock.now(),
  });
  if (outcome.outcome === "notFound") throw notFound(what);
  if (outcome.outcome === "notCancellable")
    throw new Refusal("NOT_CANCELLABLE", `The ${what.toLowerCase()} has ended already: ${outcome.status}`, {
      detail: { taskId: outcome.taskId, status: outcome.status },
    });
  return outcome.taskId;
}
