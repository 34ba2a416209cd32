import { type Authority, preview } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import type { NewWork, SessionRecord, SubmitOutcome } from "../../records.ts";
import { partsOf } from "../models.ts";
import { int, runOf, runSelect, sessionOf, sessionSelect, taskOf, taskSelect, text, textOrNull } from "../rows.ts";
import type { Row, Tx } from "../sql.ts";
import { storable, type Values, type WriteOp } from "../write-set.ts";
import { findAgentId } from "./agent-store.ts";
import type { StoreContext } from "./context.ts";
import { goBackBefore } from "./conversation-head.ts";
import { closeOpenEnds, endRun, readEndingRun } from "./end-run.ts";
import { endOvertaken } from "./end-waiting-task.ts";
import { freshRow, newSessionValues } from "./new-session.ts";
import { SessionDraft } from "./session-draft.ts";
import { continuedSessionRecord, newRunRecord, newSessionRecord, newTaskRecord } from "./submitted-records.ts";
import { Params, visibleSession } from "./visible-rows.ts";

/** Outcome and, when something was written, what it was written with. */
export interface Submitted {
  outcome: SubmitOutcome;
  draft: SessionDraft | null;
}

const only = (outcome: SubmitOutcome): Submitted => ({ outcome, draft: null });

/** Writes a task, its first run, the user's message and their events; all decisions are made under the session's lock. */
export async function submitTask(
  context: StoreContext,
  tx: Tx,
  authority: Authority,
  work: NewWork,
): Promise<Submitted> {
  const locked = await lockSession(context, tx, authority, work);
  if (locked !== null) return continueSession(context, tx, work, locked);
  if (work.session.by === "id") return only({ outcome: "notFound" });
  const scopeKeys = partsOf(authority.scope).map(scopeKeyOf);
  const agentId = await findAgentId(tx, { projectId: authority.projectId, name: work.agentName, scopeKeys }, context);
  if (agentId === null) return only({ outcome: "agentNotFound" });
  const of = { projectId: authority.projectId, scopeKey: authority.scopeKey, agentId };
  const reused = await findReused(tx, of, work);
  if (reused !== null) return only(reused);
  const values = newSessionValues(authority, work.session.create, {
    agentId,
    externalId: work.session.by === "externalId" ? work.session.externalId : null,
    idempotencyKey: null,
    requestFingerprint: null,
    at: work.at,
  });
  const draft = new SessionDraft(freshRow(values), { at: work.at, newId: context.newId });
  const begun = {
    ...work.session.create,
    externalId: work.session.by === "externalId" ? work.session.externalId : null,
  };
  return writeWork(tx, work, {
    draft,
    created: values,
    queuePosition: null,
    session: () => newSessionRecord(draft, authority, work, begun),
  });
}

async function lockSession(context: StoreContext, tx: Tx, authority: Authority, work: NewWork): Promise<Row | null> {
  if (work.session.by === "new") return null;
  const params = new Params();
  // As with findByExternalId: an external id means the caller's own scope.
  const as: Authority = work.session.by === "externalId" ? { ...authority, reach: "EXACT" } : authority;
  const visible = visibleSession(context.dialect, as, params);
  const which =
    work.session.by === "id"
      ? `s.id = ${params.add(work.session.id)}`
      : `s.external_id = ${params.add(work.session.externalId)} AND a.name = ${params.add(work.agentName)}`;
  const [row] = await tx.query(
    `SELECT ${sessionSelect} FROM sessions s JOIN agents a ON a.id = s.agent_id
     WHERE ${visible} AND ${which} ${context.dialect.lock("s")}`,
    params.values,
  );
  return row ?? null;
}

async function continueSession(context: StoreContext, tx: Tx, work: NewWork, row: Row): Promise<Submitted> {
  const session = sessionOf(row);
  if (session.agentName !== work.agentName) return only({ outcome: "agentMismatch", agentName: session.agentName });
  const [reused, [queue]] = await Promise.all([
    findReused(tx, session, work),
    tx.query(
      `SELECT (SELECT max(queue_position) FROM runs WHERE session_id = $1 AND queue_position IS NOT NULL) AS tail,
         (SELECT task_id FROM runs WHERE id = $2) AS active_task_id`,
      [session.id, session.activeRunId],
    ),
  ]);
  if (reused !== null) return only(reused);
  if (session.status === "EXPIRED") return only({ outcome: "expired" });
  const draft = new SessionDraft(row, { at: work.at, newId: context.newId });
  const tail = queue === undefined || queue.tail === null ? 0 : int(queue, "tail");
  const activeRunId = session.activeRunId;
  const place = (queuePosition: number | null): Place => ({
    draft,
    created: null,
    queuePosition,
    session: () => continuedSessionRecord(session, draft, work, queuePosition !== null),
  });
  if (activeRunId === null || queue === undefined) {
    if (session.status === "WAITING") await endOvertaken(tx, draft, work.at);
    return writeWork(tx, work, place(null));
  }
  switch (work.run.busyPolicy) {
    case "REJECT":
      return only({ outcome: "busy", activeRunId, activeTaskId: text(queue, "active_task_id") });
    case "ENQUEUE":
      return writeWork(tx, work, place(tail + 1));
    case "INTERRUPT":
    case "ROLLBACK":
      await replaceActive(tx, draft, activeRunId, work);
      return writeWork(tx, work, place(null));
  }
}

/**
 * Cancels the active run so that the new one takes its place; followers keep theirs. Under ROLLBACK the conversation goes
 * back to where it stood before that run; under INTERRUPT what it got to stays.
 */
async function replaceActive(tx: Tx, draft: SessionDraft, activeRunId: string, work: NewWork): Promise<void> {
  const active = await readEndingRun(tx, activeRunId);
  if (active === null) throw new Error("The session names an active run that does not exist");
  const reason = "replaced by newer work";
  await closeOpenEnds(tx, draft, active, { at: work.at, reason });
  if (work.run.busyPolicy === "ROLLBACK")
    await goBackBefore(tx, draft, active, { reason: "rolled back", keepUserMessage: false, activeRunId });
  // Written before the new run, because the database allows one active run at any moment.
  endRun(tx, draft, active, { status: "CANCELLED", reason, at: work.at, replacedBy: work.run.id });
  if (active.wasRunning) draft.endedFromOutside(activeRunId);
}

interface Place {
  draft: SessionDraft;
  /** The row of the session when it begins with this work. */
  created: Values | null;
  queuePosition: number | null;
  /** The session as it is after the work was written. */
  session: () => SessionRecord;
}

function writeWork(tx: Tx, work: NewWork, place: Place): Submitted {
  const { draft, created, queuePosition } = place;
  const sequenceBefore = draft.lastSequence;
  const { task, run, message, at } = work;
  draft.append({ type: "task.submitted", taskId: task.id, payload: { status: "SUBMITTED" } });
  if (message !== null)
    draft.append({
      type: "message.user",
      runId: run.id,
      taskId: task.id,
      payload: { messageId: message.id, role: "USER", text: message.content },
    });
  draft.append({ type: "run.queued", runId: run.id, taskId: task.id, payload: { attempt: 1 } });
  draft.count("task_count");
  draft.count("run_count");
  draft.set({ last_run_id: run.id, last_activity_at: at });
  if (queuePosition === null) {
    draft.set({ active_run_id: run.id, status: "BUSY" });
    draft.becameRunnable(run.id);
  }
  const messages = message === null ? [] : [messageValues(draft, work, message)];
  const sessionWrites: WriteOp[] =
    created === null
      ? draft.writes()
      : [{ op: "insert", table: "sessions", rows: [{ ...created, ...draft.columns }] }, draft.events, draft.dispatch];
  const [session, ...others] = sessionWrites;
  if (session === undefined) throw new Error("A draft writes its session");
  tx.write([
    session,
    { op: "insert", table: "tasks", rows: [taskValues(draft, work)] },
    { op: "insert", table: "runs", rows: [runValues(draft, work, queuePosition)] },
    { op: "insert", table: "messages", rows: messages },
    ...others,
  ]);
  const records = { session: place.session(), task: newTaskRecord(draft, work), run: newRunRecord(draft, work) };
  return { outcome: { outcome: "submitted", ...records, sequenceBefore }, draft };
}

const taskValues = (draft: SessionDraft, { task, run, at }: NewWork): Values => ({
  id: task.id,
  session_id: draft.id,
  project_id: draft.projectId,
  agent_id: draft.agentId,
  scope_key: draft.scopeKey,
  status: "SUBMITTED",
  input: task.input,
  idempotency_key: task.idempotencyKey,
  request_fingerprint: task.requestFingerprint,
  current_run_id: run.id,
  last_run_id: run.id,
  metadata: task.metadata,
  created_at: at,
  updated_at: at,
});

const runValues = (draft: SessionDraft, { task, run, at }: NewWork, queuePosition: number | null): Values => ({
  id: run.id,
  session_id: draft.id,
  task_id: task.id,
  project_id: draft.projectId,
  agent_id: draft.agentId,
  scope_key: draft.scopeKey,
  status: "QUEUED",
  attempt: 1,
  recoveries: 0,
  generation: 0,
  input: task.input,
  manifest: run.manifest,
  manifest_digest: run.manifestDigest,
  agent_revision: run.manifest.revision,
  queue_position: queuePosition,
  queued_at: at,
  model_call_count: 0,
  step_count: 0,
  usage_status: "COMPLETE",
  trace_id: run.traceId ?? null,
  busy_policy: run.busyPolicy,
  created_at: at,
  updated_at: at,
});

function messageValues(
  draft: SessionDraft,
  { task, run, at }: NewWork,
  message: NonNullable<NewWork["message"]>,
): Values {
  const seq = draft.count("last_message_seq");
  draft.count("message_count");
  if (message.content !== "") {
    const shown = preview(message.content);
    draft.set({ last_message: shown, ...(draft.firstMessage === null && { first_message: shown }) });
  }
  return {
    id: message.id,
    session_id: draft.id,
    project_id: draft.projectId,
    scope_key: draft.scopeKey,
    run_id: run.id,
    task_id: task.id,
    role: "USER",
    content: message.content,
    seq,
    langgraph_message_id: message.id,
    created_at: at,
    updated_at: at,
  };
}

/** The task that an earlier request with the same idempotency key made, as an outcome; null when there is none. */
async function findReused(
  tx: Tx,
  of: { projectId: string; scopeKey: string; agentId: string },
  { task }: NewWork,
): Promise<SubmitOutcome | null> {
  if (task.idempotencyKey === null) return null;
  const [row] = await tx.query(
    `SELECT t.id, t.session_id, t.request_fingerprint, t.last_run_id FROM tasks t
     WHERE t.project_id = $1 AND t.scope_key = $2 AND t.agent_id = $3 AND t.idempotency_key = $4`,
    [of.projectId, of.scopeKey, of.agentId, task.idempotencyKey],
  );
  if (row === undefined) return null;
  const taskId = text(row, "id");
  if (text(row, "request_fingerprint") !== storable(task.requestFingerprint))
    return { outcome: "idempotencyConflict", taskId };
  const [first] = await tx.query(
    "SELECT sequence FROM events WHERE session_id = $1 AND task_id = $2 ORDER BY sequence LIMIT 1",
    [text(row, "session_id"), taskId],
  );
  const known = await readWork(tx, taskId, textOrNull(row, "last_run_id") ?? "");
  return { outcome: "reused", ...known, sequenceBefore: first === undefined ? 0 : int(first, "sequence") - 1 };
}

async function readWork(tx: Tx, taskId: string, runId: string) {
  const [row] = await tx.query(
    `SELECT ${sessionSelect}, ${taskSelect}, ${runSelect} FROM tasks t
     JOIN sessions s ON s.id = t.session_id JOIN agents a ON a.id = s.agent_id JOIN runs r ON r.id = $2
     WHERE t.id = $1`,
    [taskId, runId],
  );
  if (row === undefined) throw new Error("A task has lost its run");
  return { session: sessionOf(row), task: taskOf(row), run: runOf(row) };
}
