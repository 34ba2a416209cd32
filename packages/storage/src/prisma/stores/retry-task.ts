import { type Authority, canTaskBeRetried, TaskStatus } from "@wheelhouse/domain";
import type { RetryOutcome, RetryRequest } from "../../records.ts";
import { flag, hasReadableManifest, runSelect, sessionOf, sessionSelect, taskOf, taskSelect, text } from "../rows.ts";
import type { Row, Tx } from "../sql.ts";
import type { StoreContext } from "./context.ts";
import { goBackBefore } from "./conversation-head.ts";
import { queueNextAttempt } from "./next-attempt.ts";
import { SessionDraft } from "./session-draft.ts";
import { Params, visibleSession } from "./visible-rows.ts";

interface Retried {
  outcome: RetryOutcome;
  draft: SessionDraft | null;
}

const only = (outcome: RetryOutcome): Retried => ({ outcome, draft: null });

/**
 * A task that failed or was cancelled works again, with another run that begins where its last one began. Only while
 * nothing else came after that run: going back further would take other turns with it.
 */
export async function retryTask(
  context: StoreContext,
  tx: Tx,
  authority: Authority,
  request: RetryRequest,
): Promise<Retried> {
  const params = new Params();
  const visible = visibleSession(context.dialect, authority, params);
  const [row] = await tx.query(
    `SELECT ${sessionSelect} FROM sessions s JOIN agents a ON a.id = s.agent_id
     WHERE ${visible} AND s.id = (SELECT session_id FROM tasks WHERE id = ${params.add(request.taskId)})
     ${context.dialect.lock("s")}`,
    params.values,
  );
  if (row === undefined) return only({ outcome: "notFound" });
  const [last] = await tx.query(lastRunText, [request.taskId]);
  if (last === undefined) return only({ outcome: "notFound" });
  const refused = refusalOf(row, last);
  if (refused !== null) return only(refused);
  const draft = new SessionDraft(row, { at: request.at, newId: context.newId });
  const sequenceBefore = draft.lastSequence;
  const undone = { id: text(last, "r_id"), taskId: request.taskId };
  await goBackBefore(tx, draft, undone, { reason: "tried again", keepUserMessage: true, activeRunId: null });
  const run = await queueNextAttempt(tx, draft, {
    id: request.newRunId,
    parentRunId: undone.id,
    at: request.at,
    traceId: request.traceId,
  });
  const session = {
    ...sessionOf(row),
    status: "BUSY" as const,
    activeRunId: run.id,
    lastSequence: draft.lastSequence,
    lastActivityAt: request.at,
  };
  const task = {
    ...taskOf(last),
    status: "WORKING" as const,
    statusReason: null,
    currentRunId: run.id,
    lastRunId: run.id,
  };
  return { outcome: { outcome: "submitted", session, task, run, sequenceBefore }, draft };
}

/** The task, its last run, and whether a run of another task has begun since. */
const lastRunText = `SELECT ${taskSelect}, ${runSelect}, x.task_id AS active_task_id,
    s.head_run_id IS DISTINCT FROM r.id AND EXISTS (SELECT 1 FROM runs o
      WHERE o.session_id = t.session_id AND o.task_id <> t.id AND o.started_at > coalesce(r.started_at, r.finished_at)) AS moved_on
  FROM tasks t JOIN runs r ON r.id = t.last_run_id JOIN sessions s ON s.id = t.session_id
  LEFT JOIN runs x ON x.id = s.active_run_id WHERE t.id = $1`;

function refusalOf(session: Row, last: Row): RetryOutcome | null {
  const { status, activeRunId } = sessionOf(session);
  const taskStatus = TaskStatus.parse(last.t_status);
  if (status === "EXPIRED") return { outcome: "expired" };
  if (!canTaskBeRetried(taskStatus)) return { outcome: "notRetryable", status: taskStatus, why: "status" };
  if (activeRunId !== null) return { outcome: "busy", activeRunId, activeTaskId: text(last, "active_task_id") };
  if (!hasReadableManifest(last)) return { outcome: "notRetryable", status: taskStatus, why: "unreadable" };
  if (flag(last, "moved_on")) return { outcome: "notRetryable", status: taskStatus, why: "movedOn" };
  return null;
}
