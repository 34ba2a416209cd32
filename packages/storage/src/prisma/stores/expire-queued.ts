import type { RunStore } from "../../port.ts";
import { sessionSelect, text } from "../rows.ts";
import type { Tx } from "../sql.ts";
import type { StoreContext } from "./context.ts";
import { endRun, readEndingRun } from "./end-run.ts";
import { SessionDraft } from "./session-draft.ts";

/** Ends runs that nobody has taken in time. Rows that another transaction holds wait for the next sweep. */
export async function expireQueued(
  context: StoreContext,
  tx: Tx,
  { before, limit, at }: Parameters<RunStore["expireQueued"]>[0],
): Promise<SessionDraft[]> {
  const { dialect, newId } = context;
  // One run per session and sweep: ending a head makes the next one the head.
  const rows = await tx.query(
    `SELECT ${sessionSelect}, r.id AS r_id FROM runs r
     JOIN sessions s ON s.id = r.session_id JOIN agents a ON a.id = s.agent_id
     WHERE r.status = 'QUEUED' AND r.queued_at < $1 AND NOT EXISTS (SELECT 1 FROM runs o
       WHERE o.session_id = r.session_id AND o.status = 'QUEUED' AND (o.queued_at, o.id) < (r.queued_at, r.id))
     ORDER BY r.queued_at, r.id LIMIT $2 ${dialect.lockFree("s", "r")}`,
    [dialect.time(before), limit],
  );
  const drafts: SessionDraft[] = [];
  for (const row of rows) {
    const run = await readEndingRun(tx, text(row, "r_id"));
    if (run === null) throw new Error("A session has lost its run");
    const draft = new SessionDraft(row, { at, newId });
    const failure = { code: "QUEUE_TIMEOUT" as const, message: "No worker took the run in time" };
    endRun(tx, draft, run, { status: "FAILED", failure, at });
    drafts.push(draft);
  }
  return drafts;
}
