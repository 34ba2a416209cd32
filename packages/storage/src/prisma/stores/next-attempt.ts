import type { RunRecord } from "../../records.ts";
import { int, runOf, runSelect } from "../rows.ts";
import type { Row, Tx } from "../sql.ts";
import type { Values, WriteOp } from "../write-set.ts";
import type { SessionDraft } from "./session-draft.ts";

export interface NextAttempt {
  id: string;
  parentRunId: string;
  at: Date;
  /** Of the request that asks for it; the parent's when absent. */
  traceId?: string | null;
}

/**
 * Queues another run of a task that is WORKING again with it, and writes the draft together with `alongside`. Nothing else
 * may be active in the session: a task that could be continued has ended when other work began.
 */
export async function queueNextAttempt(
  tx: Tx,
  draft: SessionDraft,
  next: NextAttempt,
  alongside: readonly WriteOp[] = [],
): Promise<RunRecord> {
  const [parent] = await tx.query(
    `SELECT ${runSelect}, r.busy_policy AS r_busy_policy, r.trace_id AS r_trace_id, r.agent_revision AS r_agent_revision,
       (SELECT max(attempt) FROM runs o WHERE o.task_id = r.task_id) AS last_attempt
     FROM runs r WHERE r.id = $1`,
    [next.parentRunId],
  );
  if (parent === undefined) throw new Error("A task has lost its last run");
  const run: RunRecord = {
    ...runOf(parent),
    id: next.id,
    status: "QUEUED",
    attempt: int(parent, "last_attempt") + 1,
    recoveries: 0,
    parentRunId: next.parentRunId,
    owner: null,
    generation: 0,
    checkpointBefore: null,
    errorCode: null,
    errorMessage: null,
    queuedAt: next.at,
    startedAt: null,
    finishedAt: null,
  };
  draft.append({ type: "run.queued", runId: run.id, taskId: run.taskId, payload: { attempt: run.attempt } });
  draft.count("run_count");
  draft.set({ last_run_id: run.id, last_activity_at: next.at, active_run_id: run.id, status: "BUSY" });
  draft.becameRunnable(run.id);
  const task = {
    id: run.taskId,
    status: "WORKING",
    status_reason: null,
    current_run_id: run.id,
    last_run_id: run.id,
    updated_at: next.at,
  };
  tx.write([
    ...alongside,
    { op: "update", table: "tasks", rows: [task] },
    { op: "insert", table: "runs", rows: [runValues(draft, run, parent, next)] },
    ...draft.writes(),
  ]);
  return run;
}

const runValues = (draft: SessionDraft, run: RunRecord, parent: Row, next: NextAttempt): Values => ({
  id: run.id,
  session_id: run.sessionId,
  task_id: run.taskId,
  project_id: draft.projectId,
  agent_id: draft.agentId,
  scope_key: draft.scopeKey,
  status: run.status,
  attempt: run.attempt,
  recoveries: 0,
  generation: 0,
  parent_run_id: run.parentRunId,
  input: run.input,
  manifest: run.manifest,
  manifest_digest: run.manifestDigest,
  agent_revision: parent.r_agent_revision,
  queue_position: null,
  queued_at: run.queuedAt,
  model_call_count: 0,
  step_count: 0,
  usage_status: "COMPLETE",
  trace_id: next.traceId ?? parent.r_trace_id,
  busy_policy: parent.r_busy_policy,
  created_at: run.queuedAt,
  updated_at: run.queuedAt,
});
