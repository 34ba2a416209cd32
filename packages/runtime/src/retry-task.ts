import { type Authority, eventCursor, notFound, Refusal } from "@wheelhouse/domain";
import type { RetryOutcome } from "@wheelhouse/storage";
import { requireRole } from "./check-input.ts";
import type { RuntimeDeps } from "./deps.ts";
import type { SubmittedTask } from "./submit-task.ts";

export interface RetryTaskInput {
  taskId: string;
  /** W3C trace id of the request, 32 hex digits. */
  traceId?: string | null | undefined;
}

/**
 * Tries a task again that failed or was cancelled: another run of it, with the definition that was pinned then, from where
 * the conversation stood before its last run. What that run said leaves the conversation and stays in the log.
 */
export async function retryTask(
  deps: Pick<RuntimeDeps, "storage" | "clock" | "newId">,
  authority: Authority,
  input: RetryTaskInput,
): Promise<SubmittedTask> {
  requireRole(authority, "OPERATOR");
  const outcome = await deps.storage.tasks.retry(authority, {
    taskId: input.taskId,
    newRunId: deps.newId(),
    traceId: input.traceId ?? null,
    at: deps.clock.now(),
  });
  return accepted(outcome, input.taskId);
}

function accepted(outcome: RetryOutcome, taskId: string): SubmittedTask {
  switch (outcome.outcome) {
    case "submitted": {
      const { session, task, run, sequenceBefore } = outcome;
      return { session, task, run, reused: false, cursor: eventCursor(session.id, sequenceBefore) };
    }
    case "busy":
      throw new Refusal("BUSY", "The session is busy with another run; wait for it or cancel it", {
        detail: { runId: outcome.activeRunId, taskId: outcome.activeTaskId },
      });
    case "notRetryable":
      throw new Refusal("NOT_RETRYABLE", reasons[outcome.why], { detail: { taskId, status: outcome.status } });
    case "expired":
      throw new Refusal("SESSION_EXPIRED", "The session has expired and takes no new work; begin another one");
    case "notFound":
      throw notFound("Task");
  }
}

const reasons: Record<Extract<RetryOutcome, { outcome: "notRetryable" }>["why"], string> = {
  status: "Only a task that failed or was cancelled can be tried again",
  movedOn: "The conversation has gone on since; ask again, or fork it from the checkpoint before the run",
  unreadable: "The definition pinned with its last run cannot be read by this version; submit the work again",
};
