import type { RunStore } from "../../port.ts";
import { int, runOf, runSelect, text } from "../rows.ts";
import { noHint } from "../wake-hub.ts";
import { claimRuns } from "./claim-runs.ts";
import type { StoreContext } from "./context.ts";
import { readOpenEnds } from "./end-run.ts";
import { finishRun } from "./finish-run.ts";
import { appendGroupOf } from "./record-batch.ts";
import { joinHints } from "./session-draft.ts";
import { Params, visibleSession } from "./visible-rows.ts";

export function runStore(context: StoreContext): RunStore {
  const { db, dialect } = context;
  const runnable = () => context.wake({ ...noHint, runnable: true });
  return {
    async get(authority, id) {
      const params = new Params();
      const visible = visibleSession(dialect, authority, params);
      const [row] = await db.query(
        `SELECT ${runSelect} FROM runs r JOIN sessions s ON s.id = r.session_id
         WHERE ${visible} AND r.id = ${params.add(id)}`,
        params.values,
      );
      return row === undefined ? null : runOf(row);
    },
    async claim(input) {
      const { claimed, drafts } = await db.transaction((tx) => claimRuns(context, tx, input));
      if (drafts.length > 0) context.wake(joinHints(drafts));
      return claimed;
    },
    async renew(fence, { leaseMs, at }) {
      const rows = await db.query(
        `UPDATE runs SET lease_expires_at = $1 WHERE id = $2 AND owner = $3 AND generation = $4 AND status = 'RUNNING'
         RETURNING id`,
        [dialect.time(new Date(at.getTime() + leaseMs)), fence.runId, fence.owner, fence.generation],
      );
      return rows.length > 0 ? "held" : "lost";
    },
    async release(fence, at) {
      const rows = await db.query(
        `UPDATE runs SET lease_expires_at = $1 WHERE id = $2 AND owner = $3 AND generation = $4 AND status = 'RUNNING'
         RETURNING id`,
        [dialect.time(at), fence.runId, fence.owner, fence.generation],
      );
      if (rows.length > 0) runnable();
    },
    async releaseAll(at) {
      const rows = await db.query("UPDATE runs SET lease_expires_at = $1 WHERE status = 'RUNNING' RETURNING id", [
        dialect.time(at),
      ]);
      if (rows.length > 0) runnable();
      return rows.length;
    },
    async record(fence, batch) {
      const appended = await context.commits.append(appendGroupOf(context, fence, batch));
      return appended === null ? { outcome: "fenced" } : { outcome: "recorded", lastSequence: appended.lastSequence };
    },
    finish: (fence, batch, conclusion) => finishRun(context, fence, batch, conclusion),
    async openEnds(fence) {
      const [open, recorded, [last]] = await Promise.all([
        readOpenEnds(db, fence.runId),
        db.query(
          "SELECT langgraph_message_id FROM messages WHERE session_id = $1 AND langgraph_message_id IS NOT NULL ORDER BY seq",
          [fence.sessionId],
        ),
        db.query("SELECT coalesce(max(seq), 0) AS seq FROM steps WHERE run_id = $1", [fence.runId]),
      ]);
      return {
        steps: open.steps,
        messageIds: open.messages.map((message) => message.id),
        recordedMessageIds: recorded.map((row) => text(row, "langgraph_message_id")),
        lastStepSeq: last === undefined ? 0 : int(last, "seq"),
      };
    },
  };
}
