import { MessageRole } from "@wheelhouse/domain";
import type { ConversationHead, RunRecord } from "../../records.ts";
import { int, text, textOrNull } from "../rows.ts";
import type { Row, Tx } from "../sql.ts";
import type { Values } from "../write-set.ts";
import { earlierAttempts, isAnswered } from "./earlier-attempts.ts";
import { recountMessages } from "./recount-messages.ts";
import type { SessionDraft } from "./session-draft.ts";

// Where a conversation stands, as two columns of its session: `head_checkpoint` when it is known; else the run that was
// the last to begin, `head_run_id`, and what its checkpoints say; neither before the first run. Taking a turn back is
// therefore one update: the graph itself is not touched, and what a lost worker still writes is on nobody's way.

/** For statements over `sessions s` with `headJoin`. */
export const headSelect = "h.checkpoint_before AS h_checkpoint_before";
export const headJoin = "LEFT JOIN runs h ON h.id = s.head_run_id";

/** Where the conversation stands, or for a run that has begun, where it stood before it. */
export function headOf(row: Row, run?: Pick<RunRecord, "id" | "checkpointBefore">): ConversationHead {
  const checkpoint = textOrNull(row, "s_head_checkpoint");
  if (checkpoint !== null) return { at: checkpoint };
  const runId = textOrNull(row, "s_head_run_id");
  if (runId === null) return { at: null };
  if (runId === run?.id) return { at: run.checkpointBefore };
  return { after: { runId, checkpointBefore: textOrNull(row, "h_checkpoint_before") } };
}

/** The columns when a run begins. While it is not known where that is, the conversation stays where it was. */
export const headColumns = (runId: string, head: ConversationHead): Values => ({
  head_run_id: "at" in head ? runId : head.after.runId,
  head_checkpoint: null,
});

interface UndoneRun {
  id: string;
  taskId: string;
}

/**
 * Takes the conversation back to where it stood before a run: its head, and the transcript of what the task said since the
 * human answers that the run goes on with, or since its beginning. With `keepUserMessage` the task is to be done again.
 * To be called before the run's end is written, so that the end stays its last word; `activeRunId` names a run that has
 * not ended yet.
 */
export async function goBackBefore(
  tx: Tx,
  draft: SessionDraft,
  run: UndoneRun,
  more: { reason: string; keepUserMessage: boolean; activeRunId: string | null },
): Promise<void> {
  const [row] = await tx.query(
    `${earlierAttempts("r.id = $1")} SELECT r.checkpoint_before, s.head_run_id,
       (SELECT coalesce(max(up.attempt), 0) FROM up WHERE ${isAnswered("up")}) AS answered
     FROM runs r JOIN sessions s ON s.id = r.session_id WHERE r.id = $1`,
    [run.id],
  );
  if (row === undefined) throw new Error("A session has lost its run");
  // A run that has not begun has not moved the conversation.
  if (textOrNull(row, "head_run_id") === run.id) {
    const before = textOrNull(row, "checkpoint_before");
    draft.set({ head_checkpoint: before, ...(before === null && { head_run_id: null }) });
  }
  await discardMessages(tx, draft, { ...run, answered: int(row, "answered") }, more);
}

async function discardMessages(
  tx: Tx,
  draft: SessionDraft,
  run: UndoneRun & { answered: number },
  more: { reason: string; keepUserMessage: boolean; activeRunId: string | null },
): Promise<void> {
  const kept = more.keepUserMessage ? "AND m.id <> m.task_id" : "";
  const gone = await tx.query(
    `DELETE FROM messages WHERE id IN (SELECT m.id FROM messages m LEFT JOIN runs r ON r.id = m.run_id
       WHERE m.session_id = $1 AND m.task_id = $2 AND coalesce(r.attempt, 0) > $3 ${kept})
     RETURNING id, role, run_id, seq`,
    [draft.id, run.taskId, run.answered],
  );
  if (gone.length === 0) return;
  for (const message of gone.sort((a, b) => int(a, "seq") - int(b, "seq"))) {
    const role = MessageRole.parse(message.role);
    const runId = textOrNull(message, "run_id");
    draft.append({
      type: "message.discarded",
      visibility: role === "USER" || role === "ASSISTANT" ? "END_USER" : "OPERATOR",
      // A run that has ended has had its last word.
      runId: runId === more.activeRunId ? runId : null,
      taskId: run.taskId,
      payload: { messageId: text(message, "id"), role, reason: more.reason },
    });
  }
  await recountMessages(tx, draft);
}
