import { type RunFailure, runEndings } from "@wheelhouse/domain";
import { text } from "../rows.ts";
import type { Tx } from "../sql.ts";
import type { WriteOp } from "../write-set.ts";
import type { SessionDraft } from "./session-draft.ts";

/** Why a task ends whose question nobody answered before other work began: a graph that is given new input forgets what it asked. */
export const overtaken = "the conversation went on without an answer";

export interface WaitingTaskEnding {
  taskId: string;
  at: Date;
  reason: string;
  /** Set when the task fails; without it the task is cancelled. */
  failure?: RunFailure;
  /** What the session is doing. */
  sessionStatus: string;
}

/**
 * Ends a task that waits for a human. It has no run to end: the one that asked is over. Its open interrupts are closed,
 * so that nothing asks anybody any more, and their ids are returned. The caller holds the session's lock and writes the
 * draft behind the returned writes.
 */
export async function endWaitingTask(
  tx: Pick<Tx, "query">,
  draft: SessionDraft,
  ending: WaitingTaskEnding,
): Promise<{ interruptIds: string[]; writes: WriteOp[] }> {
  const { taskId, at, reason, failure, sessionStatus } = ending;
  const becomes = runEndings[failure === undefined ? "CANCELLED" : "FAILED"];
  const open = await tx.query(
    `SELECT id, run_id FROM interrupts WHERE session_id = $1 AND task_id = $2 AND decided_at IS NULL
       AND closed_at IS NULL ORDER BY requested_at, id`,
    [draft.id, taskId],
  );
  const interruptIds = open.map((row) => text(row, "id"));
  if (failure !== undefined)
    for (const row of open)
      draft.append({
        type: "interrupt.expired",
        runId: text(row, "run_id"),
        taskId,
        payload: { interruptId: text(row, "id") },
      });
  const code = failure === undefined ? {} : { code: failure.code };
  draft.append({ type: becomes.events[1], taskId, payload: { status: becomes.task, reason, ...code } });
  draft.set({ last_activity_at: at });
  if (sessionStatus === "WAITING") draft.set({ status: becomes.session });
  const task = { id: taskId, status: becomes.task, status_reason: reason, current_run_id: null, updated_at: at };
  const closed = interruptIds.map((id) => ({ id, closed_at: at, updated_at: at }));
  return {
    interruptIds,
    writes: [
      { op: "update", table: "tasks", rows: [task] },
      { op: "update", table: "interrupts", rows: closed },
    ],
  };
}

/** Ends what waits for a human in a session that begins other work. The caller holds the session's lock. */
export async function endOvertaken(tx: Tx, draft: SessionDraft, at: Date): Promise<void> {
  const waiting = await tx.query("SELECT id FROM tasks WHERE session_id = $1 AND status = 'INPUT_REQUIRED'", [
    draft.id,
  ]);
  for (const row of waiting) {
    const ending = { taskId: text(row, "id"), at, reason: overtaken, sessionStatus: "BUSY" };
    tx.write((await endWaitingTask(tx, draft, ending)).writes);
  }
}
