import type { RunStore } from "../../port.ts";
import type { Fence } from "../../records.ts";
import { flag, int, runOf, runSelect, text } from "../rows.ts";
import type { Row } from "../sql.ts";
import { noHint } from "../wake-hub.ts";
import { claimRuns } from "./claim-runs.ts";
import type { StoreContext } from "./context.ts";
import { readOpenEnds } from "./end-run.ts";
import { expireQueued } from "./expire-queued.ts";
import { finishRun } from "./finish-run.ts";
import { appendGroupOf, fenceText } from "./record-batch.ts";
import { joinHints } from "./session-draft.ts";
import { takeBackMessages } from "./take-back-messages.ts";
import { Params, visibleSession } from "./visible-rows.ts";

/** A running run's owner and generation as one text, as `fenceLists` writes them. */
const heldAs = "(owner || ':' || generation)";
const fenceLists = (fences: readonly Fence[]): [string[], string[]] => [
  fences.map(({ runId }) => runId),
  [...new Set(fences.map(({ owner, generation }) => `${owner}:${generation}`))],
];

function missingIn(held: readonly Row[], fences: readonly Fence[]): string[] {
  const ids = new Set(held.map((row) => text(row, "id")));
  return fences.map(({ runId }) => runId).filter((id) => !ids.has(id));
}

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
    async renew(fences, { leaseMs }) {
      if (fences.length === 0) return [];
      const held = await db.query(
        `UPDATE runs SET lease_expires_at = ${dialect.leaseTime(1)}
         WHERE ${dialect.inList("id", 2)} AND ${dialect.inList(heldAs, 3)} AND status = 'RUNNING' RETURNING id`,
        [leaseMs, ...fenceLists(fences)],
      );
      return missingIn(held, fences);
    },
    async lost(fences) {
      if (fences.length === 0) return [];
      const held = await db.query(
        `SELECT id FROM runs WHERE ${dialect.inList("id", 1)} AND ${dialect.inList(heldAs, 2)} AND status = 'RUNNING'`,
        fenceLists(fences),
      );
      return missingIn(held, fences);
    },
    async release(fence) {
      const rows = await db.query(
        dialect.dispatching(
          `UPDATE runs SET lease_expires_at = ${dialect.leaseTime(1)}
           WHERE id = $2 AND owner = $3 AND generation = $4 AND status = 'RUNNING' RETURNING id`,
        ),
        [0, fence.runId, fence.owner, fence.generation],
      );
      if (rows.length > 0) runnable();
    },
    async releaseAll() {
      const rows = await db.query(
        dialect.dispatching(
          `UPDATE runs SET lease_expires_at = ${dialect.leaseTime(1)} WHERE status = 'RUNNING' RETURNING id`,
        ),
        [0],
      );
      if (rows.length > 0) runnable();
      return rows.length;
    },
    async expireQueued(input) {
      const drafts = await db.transaction((tx) => expireQueued(context, tx, input));
      if (drafts.length > 0) context.wake(joinHints(drafts));
      return drafts.length;
    },
    async begin(fence, { checkpointBefore, at }) {
      return await db.transaction(async (tx) => {
        const [row] = await tx.query(
          `UPDATE sessions SET head_run_id = $1, head_checkpoint = NULL WHERE id = $2 AND fence = $3 RETURNING id`,
          [fence.runId, fence.sessionId, fenceText(fence)],
        );
        if (row === undefined) return "fenced";
        const run = { id: fence.runId, checkpoint_before: checkpointBefore, updated_at: at };
        tx.write([{ op: "update", table: "runs", rows: [run] }]);
        return "begun";
      });
    },
    async record(fence, batch) {
      const appended = await context.commits.append(appendGroupOf(context, fence, batch));
      return appended === null ? { outcome: "fenced" } : { outcome: "recorded", lastSequence: appended.lastSequence };
    },
    finish: (fence, batch, conclusion) => finishRun(context, fence, batch, conclusion),
    async takeBack(fence, input) {
      // What the owner before said may still wait for its flush.
      await context.commits.settled(fence.sessionId);
      const draft = await db.transaction((tx) => takeBackMessages(context, tx, fence, input));
      if (draft === null) return "fenced";
      context.wake(draft.hint);
      return "takenBack";
    },
    async openEnds(fence) {
      const [open, recorded, [last]] = await Promise.all([
        readOpenEnds(db, fence.runId),
        db.query(
          `SELECT langgraph_message_id, run_id, id = task_id AS is_users FROM messages
           WHERE session_id = $1 AND langgraph_message_id IS NOT NULL ORDER BY seq`,
          [fence.sessionId],
        ),
        db.query(
          `SELECT (SELECT coalesce(max(seq), 0) FROM steps WHERE run_id = $1) AS seq,
             (SELECT coalesce(sum(total_tokens), 0) FROM model_calls WHERE run_id = $1) AS tokens`,
          [fence.runId],
        ),
      ]);
      return {
        steps: open.steps,
        messageIds: open.messages.map((message) => message.id),
        recordedMessageIds: recorded.map((row) => text(row, "langgraph_message_id")),
        ownMessageIds: recorded
          .filter((row) => row.run_id === fence.runId && !flag(row, "is_users"))
          .map((row) => text(row, "langgraph_message_id")),
        lastStepSeq: last === undefined ? 0 : int(last, "seq"),
        tokensUsed: last === undefined ? 0 : int(last, "tokens"),
      };
    },
  };
}
