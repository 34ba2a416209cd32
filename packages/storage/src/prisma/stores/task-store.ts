import { type Authority, canTaskBecome, RunStatus, TaskStatus } from "@wheelhouse/domain";
import type { TaskStore } from "../../port.ts";
import type { CancelOutcome } from "../../records.ts";
import { sessionSelect, taskOf, taskSelect, text, textOrNull } from "../rows.ts";
import type { Tx } from "../sql.ts";
import { type StoreContext, untilRaceIsOver } from "./context.ts";
import { closeOpenEnds, endRun, readEndingRun } from "./end-run.ts";
import { endWaitingTask } from "./end-waiting-task.ts";
import { retryTask } from "./retry-task.ts";
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
    async retry(authority, request) {
      const { outcome, draft } = await context.db.transaction((tx) => retryTask(context, tx, authority, request));
      if (draft !== null) context.wake(draft.hint);
      return outcome;
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

type CancelInput = Parameters<TaskStore["cancel"]>[1];

async function cancelTask(context: StoreContext, tx: Tx, authority: Authority, input: CancelInput): Promise<Cancelled> {
  const params = new Params();
  const visible = visibleSession(context.dialect, authority, params);
  const sessionId =
    "taskId" in input
      ? `(SELECT session_id FROM tasks WHERE id = ${params.add(input.taskId)})`
      : `(SELECT session_id FROM runs WHERE id = ${params.add(input.runId)})`;
  const [row] = await tx.query(
    `SELECT ${sessionSelect} FROM sessions s JOIN agents a ON a.id = s.agent_id
     WHERE ${visible} AND s.id = ${sessionId} ${context.dialect.lock("s")}`,
    params.values,
  );
  if (row === undefined) return { outcome: { outcome: "notFound" }, draft: null };
  const task = await readCancelled(tx, input);
  if (task === null) return { outcome: { outcome: "notFound" }, draft: null };
  const { taskId, runId } = task;
  if (task.ended !== null) return { outcome: { outcome: "notCancellable", taskId, status: task.ended }, draft: null };
  const draft = new SessionDraft(row, { at: input.at, newId: context.newId });
  const why = { reason: input.reason, at: input.at };
  if (runId === null) {
    const { writes } = await endWaitingTask(tx, draft, { ...why, taskId, sessionStatus: text(row, "s_status") });
    tx.write([...writes, ...draft.writes()]);
  } else await cancelRun(tx, draft, runId, why);
  return { outcome: { outcome: "cancelled", taskId, runId }, draft };
}

interface CancelledTask {
  taskId: string;
  /** The run that is queued or running. */
  runId: string | null;
  /** The state in which what is to be cancelled has ended. */
  ended: TaskStatus | RunStatus | null;
}

/** The task to cancel, by its own id or by that of a run; read under the session's lock. */
async function readCancelled(tx: Tx, input: CancelInput): Promise<CancelledTask | null> {
  const [task] = await tx.query(
    `SELECT t.id, t.status, (SELECT r.id FROM runs r WHERE r.task_id = t.id AND r.status IN ('QUEUED', 'RUNNING')
       ORDER BY r.created_at DESC LIMIT 1) AS run_id,
       (SELECT r.status FROM runs r WHERE r.id = $2) AS named_status
     FROM tasks t WHERE t.id = coalesce($1, (SELECT task_id FROM runs WHERE id = $2))`,
    "taskId" in input ? [input.taskId, null] : [null, input.runId],
  );
  if (task === undefined) return null;
  const status = TaskStatus.parse(task.status);
  const runId = textOrNull(task, "run_id");
  const isOver = "runId" in input ? runId !== input.runId : !canTaskBecome(status, "CANCELLED");
  return {
    taskId: text(task, "id"),
    runId,
    ended: !isOver ? null : "runId" in input ? RunStatus.parse(task.named_status) : status,
  };
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
