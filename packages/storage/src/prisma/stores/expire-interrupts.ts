import type { RunFailure } from "@wheelhouse/domain";
import type { InterruptStore } from "../../port.ts";
import type { ExpiredTask } from "../../records.ts";
import { sessionSelect, text } from "../rows.ts";
import type { Row, Tx } from "../sql.ts";
import type { StoreContext } from "./context.ts";
import { endWaitingTask } from "./end-waiting-task.ts";
import { SessionDraft } from "./session-draft.ts";

type ExpireInput = Parameters<InterruptStore["expire"]>[0];

const unanswered: RunFailure = {
  code: "INTERRUPT_EXPIRED",
  message: "Nobody answered in time, so the task was given up",
};

/** Gives up what nobody answered in time. Sessions that another transaction holds are left for the next sweep. */
export async function expireInterrupts(
  context: StoreContext,
  tx: Tx,
  { limit, at }: ExpireInput,
): Promise<{ expired: ExpiredTask[]; drafts: SessionDraft[] }> {
  const due = `i.decided_at IS NULL AND i.closed_at IS NULL AND i.expires_at <= $1`;
  const now = context.dialect.time(at);
  const sessions = await tx.query(
    `SELECT ${sessionSelect} FROM sessions s JOIN agents a ON a.id = s.agent_id
     WHERE s.id IN (SELECT i.session_id FROM interrupts i JOIN tasks t ON t.id = i.task_id
       WHERE ${due} AND t.status = 'INPUT_REQUIRED' ORDER BY i.expires_at LIMIT $2)
     ORDER BY s.id ${context.dialect.lockFree("s")}`,
    [now, limit],
  );
  const expired: ExpiredTask[] = [];
  const drafts: SessionDraft[] = [];
  for (const row of sessions) {
    // Read again under the lock: an answer may have come between.
    const waiting = await tx.query(
      `SELECT t.id, EXISTS (SELECT 1 FROM interrupts i WHERE i.session_id = t.session_id AND i.task_id = t.id AND ${due})
         AS is_due FROM tasks t WHERE t.session_id = $2 AND t.status = 'INPUT_REQUIRED' ORDER BY t.created_at, t.id`,
      [now, text(row, "s_id")],
    );
    const { tasks, draft } = await expireIn(context, tx, row, { waiting, at });
    if (draft !== null) drafts.push(draft);
    expired.push(...tasks);
  }
  return { expired, drafts };
}

async function expireIn(
  context: StoreContext,
  tx: Tx,
  row: Row,
  { waiting, at }: { waiting: readonly Row[]; at: Date },
): Promise<{ tasks: ExpiredTask[]; draft: SessionDraft | null }> {
  const due = waiting.filter(({ is_due }) => is_due === true || is_due === 1);
  if (due.length === 0) return { tasks: [], draft: null };
  const draft = new SessionDraft(row, { at, newId: context.newId });
  const sessionStatus = text(row, "s_status");
  const tasks: ExpiredTask[] = [];
  for (const task of due) {
    const taskId = text(task, "id");
    const { message: reason } = unanswered;
    const { interruptIds, writes } = await endWaitingTask(tx, draft, {
      ...{ taskId, at, reason, failure: unanswered, sessionStatus },
    });
    tasks.push({ taskId, sessionId: draft.id, interruptIds });
    tx.write(writes);
  }
  tx.write(draft.writes());
  return { tasks, draft };
}
