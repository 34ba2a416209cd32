import { type Authority, canTaskBecome, TaskStatus } from "@wheelhouse/domain";
import type { TaskStore } from "../../port.ts";
import type { CancelOutcome } from "../../records.ts";
import { flag, sessionSelect, taskOf, taskSelect, text, textOrNull } from "../rows.ts";
import type { Tx } from "../sql.ts";
import { type StoreContext, untilRaceIsOver } from "./context.ts";
import { closeOpenEnds, endRun, readEndingRun } from "./end-run.ts";
import { SessionDraft } from "./session-draft.ts";
import { type Submitted, submitTask } from "./submit-task.ts";
import { Params, visibleSession } from "./visible-rows.ts";

export function taskStore(context: StoreContext): TaskStore {
  return {
    async submit(authority, work) {
      const { outcome, draft } = await untilRaceIsOver(context, () =>
        context.db.transaction((tx): Promise<Submitted> => submitTask(context, tx, authority, work)),
      );
      if (draft !== null) context.wake(draft.hint);
      return outcome;
    },
    async get(authority, id) {
      const params = new Params();
      const visible = visibleSession(context.dialect, authority, params);
      const [row] = await context.db.query(
        `SELECT ${taskSelect} FROM tasks t JOIN sessions s ON s.id = t.session_id
         WHERE ${visible} AND t.id = ${params.add(id)}`,
        params.values,
      );
      return row === undefined ? null : taskOf(row);
    },
    async cancel(authority, input) {
      const { outcome, draft } = await context.db.transaction((tx) => cancelTask(context, tx, authority, input));
      if (draft !== null) context.wake(draft.hint);
      return outcome;
    },
  };
}

interface Cancelled {
  outcome: CancelOutcome;
  draft: SessionDraft | null;
}

async function cancelTask(
  context: StoreContext,
  tx: Tx,
  authority: Authority,
  input: { taskId: string; reason: string; at: Date },
): Promise<Cancelled> {
  const params = new Params();
  const visible = visibleSession(context.dialect, authority, params);
  const [row] = await tx.query(
    `SELECT ${sessionSelect} FROM sessions s JOIN agents a ON a.id = s.agent_id
     WHERE ${visible} AND s.id = (SELECT session_id FROM tasks WHERE id = ${params.add(input.taskId)})
     ${context.dialect.lock("s")}`,
    params.values,
  );
  if (row === undefined) return { outcome: { outcome: "notFound" }, draft: null };
  const [task] = await tx.query(
    `SELECT t.status, (SELECT r.id FROM runs r WHERE r.task_id = t.id AND r.status IN ('QUEUED', 'RUNNING')
       ORDER BY r.created_at DESC LIMIT 1) AS run_id,
       EXISTS (SELECT 1 FROM tasks o WHERE o.session_id = t.session_id AND o.id <> t.id
         AND o.status = 'INPUT_REQUIRED') AS others_wait
     FROM tasks t WHERE t.id = $1`,
    [input.taskId],
  );
  if (task === undefined) return { outcome: { outcome: "notFound" }, draft: null };
  const status = TaskStatus.parse(task.status);
  if (!canTaskBecome(status, "CANCELLED")) return { outcome: { outcome: "notCancellable", status }, draft: null };
  const draft = new SessionDraft(row, { at: input.at, newId: context.newId });
  const runId = textOrNull(task, "run_id");
  if (runId === null)
    cancelWaiting(tx, draft, input, { status: text(row, "s_status"), othersWait: flag(task, "others_wait") });
  else await cancelRun(tx, draft, runId, input);
  return { outcome: { outcome: "cancelled", taskId: input.taskId, runId }, draft };
}

async function cancelRun(
  tx: Tx,
  draft: SessionDraft,
  runId: string,
  input: { reason: string; at: Date },
): Promise<void> {
  const run = await readEndingRun(tx, runId);
  if (run === null) throw new Error("A task has lost its run");
  await closeOpenEnds(tx, draft, run, input);
  endRun(tx, draft, run, { status: "CANCELLED", ...input });
  if (run.wasRunning) draft.endedFromOutside(runId);
}

/** A task that waits for a human has no run to end. */
function cancelWaiting(
  tx: Tx,
  draft: SessionDraft,
  input: { taskId: string; reason: string; at: Date },
  session: { status: string; othersWait: boolean },
): void {
  draft.append({
    type: "task.cancelled",
    taskId: input.taskId,
    payload: { status: "CANCELLED", reason: input.reason },
  });
  draft.set({ last_activity_at: input.at });
  if (session.status === "WAITING" && !session.othersWait) draft.set({ status: "IDLE" });
  const task = {
    id: input.taskId,
    status: "CANCELLED",
    status_reason: input.reason,
    current_run_id: null,
    updated_at: input.at,
  };
  tx.write([{ op: "update", table: "tasks", rows: [task] }, ...draft.writes()]);
}
