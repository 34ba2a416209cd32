import type { SessionStore } from "../../port.ts";
import { text, textOrNull } from "../rows.ts";
import type { StoreContext } from "./context.ts";
import { headJoin, headOf, headSelect } from "./conversation-head.ts";

type PruningStore = Pick<SessionStore, "claimPruning" | "postponePruning" | "checkpointAnchors">;

/** What the pruning of checkpoints asks of sessions. */
export function pruningStore({ db, dialect }: StoreContext): PruningStore {
  return {
    async claimPruning({ before, limit }) {
      const rows = await db.query(
        `UPDATE sessions SET prune_due_at = NULL WHERE id IN
           (SELECT s.id FROM sessions s WHERE s.prune_due_at < $1 ORDER BY s.prune_due_at LIMIT $2 ${dialect.lockFree("s")})
         RETURNING id, thread_id`,
        [dialect.time(before), limit],
      );
      return rows.map((row) => ({ sessionId: text(row, "id"), threadId: text(row, "thread_id") }));
    },
    async postponePruning(sessionId, at) {
      await db.query("UPDATE sessions SET prune_due_at = $1 WHERE id = $2 RETURNING id", [dialect.time(at), sessionId]);
    },
    async checkpointAnchors(sessionId, turns) {
      const [[session], befores, waiting] = await Promise.all([
        db.query(
          `SELECT s.active_run_id, s.head_run_id AS s_head_run_id, s.head_checkpoint AS s_head_checkpoint, ${headSelect}
           FROM sessions s ${headJoin} WHERE s.id = $1`,
          [sessionId],
        ),
        db.query(
          "SELECT checkpoint_before FROM runs WHERE session_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2",
          [sessionId, turns],
        ),
        db.query(
          "SELECT DISTINCT run_id FROM interrupts WHERE session_id = $1 AND decided_at IS NULL AND closed_at IS NULL",
          [sessionId],
        ),
      ]);
      if (session === undefined) return null;
      const present = (ids: (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))];
      return {
        head: headOf(session),
        checkpointsBefore: present(befores.map((row) => textOrNull(row, "checkpoint_before"))),
        runIds: present([textOrNull(session, "active_run_id"), textOrNull(session, "s_head_run_id")]),
        waitingRunIds: waiting.map((row) => text(row, "run_id")),
      };
    },
  };
}
