import { type Authority, TaskStatus } from "@wheelhouse/domain";
import type { InterruptStore } from "../../port.ts";
import type { DecideOutcome, InterruptDecision, InterruptRecord, RunRecord } from "../../records.ts";
import { int, interruptOf, interruptSelect, runOf, runSelect, sessionSelect, textOrNull } from "../rows.ts";
import type { Row, Tx } from "../sql.ts";
import type { WriteOp } from "../write-set.ts";
import type { StoreContext } from "./context.ts";
import { SessionDraft } from "./session-draft.ts";
import { Params, visibleSession } from "./visible-rows.ts";

type DecideInput = Parameters<InterruptStore["decide"]>[1];

export function interruptStore(context: StoreContext): InterruptStore {
  return {
    async get(authority, id) {
      const params = new Params();
      const visible = visibleSession(context.dialect, authority, params);
      const [row] = await context.db.query(
        `SELECT ${interruptSelect} FROM interrupts i JOIN sessions s ON s.id = i.session_id
         WHERE ${visible} AND i.id = ${params.add(id)}`,
        params.values,
      );
      return row === undefined ? null : interruptOf(row);
    },
    async decide(authority, input) {
      const { outcome, draft } = await context.db.transaction((tx) => decide(context, tx, authority, input));
      if (draft !== null) context.wake(draft.hint);
      return outcome;
    },
  };
}

interface Decided {
  outcome: DecideOutcome;
  draft: SessionDraft | null;
}

const only = (outcome: DecideOutcome): Decided => ({ outcome, draft: null });

async function decide(context: StoreContext, tx: Tx, authority: Authority, input: DecideInput): Promise<Decided> {
  const firstId = input.decisions[0]?.id ?? "";
  const params = new Params();
  const visible = visibleSession(context.dialect, authority, params);
  const [session] = await tx.query(
    `SELECT ${sessionSelect} FROM sessions s JOIN agents a ON a.id = s.agent_id
     WHERE ${visible} AND s.id = (SELECT session_id FROM interrupts WHERE id = ${params.add(firstId)})
     ${context.dialect.lock("s")}`,
    params.values,
  );
  if (session === undefined) return only({ outcome: "notFound", id: firstId });
  // All interrupts of the run that asked, so that it is known here whether the last one is answered.
  const rows = await tx.query(
    `SELECT ${interruptSelect}, t.status AS t_status FROM interrupts i JOIN tasks t ON t.id = i.task_id
     WHERE i.run_id = (SELECT run_id FROM interrupts WHERE id = $1) ORDER BY i.requested_at, i.id`,
    [firstId],
  );
  const interrupts = new Map(rows.map(interruptOf).map((interrupt) => [interrupt.id, interrupt]));
  const refused = refusalOf(input.decisions, interrupts, TaskStatus.parse(rows[0]?.t_status));
  if (refused !== null) return only(refused);
  const draft = new SessionDraft(session, { at: input.at, newId: context.newId });
  const answered = input.decisions.flatMap((decision) => {
    const interrupt = interrupts.get(decision.id);
    return interrupt === undefined ? [] : [answer(draft, interrupt, decision, { authority, at: input.at })];
  });
  const given = new Set(input.decisions.map((decision) => decision.id));
  const isLast = [...interrupts.values()].every((interrupt) => interrupt.decidedAt !== null || given.has(interrupt.id));
  const write: WriteOp = { op: "update", table: "interrupts", rows: answered.map(interruptValues(input.at)) };
  const run = isLast ? await queueNextRun(tx, draft, session, { input, write, from: answered[0] }) : null;
  if (run === null) {
    draft.set({ last_activity_at: input.at });
    tx.write([write, ...draft.writes()]);
  }
  return { outcome: { outcome: "decided", interrupts: answered, run }, draft };
}

/** Why the answers cannot be taken, or null. Nothing has been written yet, so one bad answer refuses all of them. */
function refusalOf(
  decisions: readonly InterruptDecision[],
  interrupts: ReadonlyMap<string, InterruptRecord>,
  taskStatus: TaskStatus,
): DecideOutcome | null {
  for (const { id } of decisions) if (!interrupts.has(id)) return { outcome: "notFound", id };
  for (const { id, decision } of decisions) {
    const interrupt = interrupts.get(id);
    if (interrupt === undefined) return { outcome: "notFound", id };
    if (interrupt.decidedAt !== null) return { outcome: "alreadyDecided", interrupt };
    if (taskStatus !== "INPUT_REQUIRED") return { outcome: "closed", taskId: interrupt.taskId };
    if (!interrupt.allowedDecisions.includes(decision)) return { outcome: "notAllowed", interrupt };
  }
  return null;
}

function answer(
  draft: SessionDraft,
  interrupt: InterruptRecord,
  { decision, value, editedArgumentNames }: InterruptDecision,
  { authority, at }: { authority: Authority; at: Date },
): InterruptRecord {
  draft.append({
    type: "interrupt.decided",
    runId: interrupt.runId,
    taskId: interrupt.taskId,
    payload: {
      interruptId: interrupt.id,
      decision,
      by: authority.actor.name,
      ...(editedArgumentNames && { editedArgumentNames }),
    },
  });
  return { ...interrupt, decidedAt: at, decidedBy: authority.actor.name, decision, decisionValue: value ?? null };
}

const interruptValues = (at: Date) => (interrupt: InterruptRecord) => ({
  id: interrupt.id,
  decided_at: interrupt.decidedAt,
  decided_by: interrupt.decidedBy,
  decision: interrupt.decision,
  decision_value: interrupt.decisionValue,
  updated_at: at,
});

/** The task goes on: its next run is queued, behind whatever the session is doing meanwhile. */
async function queueNextRun(
  tx: Tx,
  draft: SessionDraft,
  session: Row,
  { input, write, from }: { input: DecideInput; write: WriteOp; from: InterruptRecord | undefined },
): Promise<RunRecord | null> {
  if (from === undefined) return null;
  const [parent] = await tx.query(
    `SELECT ${runSelect}, r.busy_policy AS r_busy_policy, r.trace_id AS r_trace_id, r.agent_revision AS r_agent_revision,
       (SELECT max(attempt) FROM runs o WHERE o.task_id = r.task_id) AS last_attempt,
       (SELECT max(queue_position) FROM runs o WHERE o.session_id = r.session_id) AS tail
     FROM runs r WHERE r.id = $1`,
    [from.runId],
  );
  if (parent === undefined) throw new Error("An interrupt has lost its run");
  const before = runOf(parent);
  const isHead = textOrNull(session, "s_active_run_id") === null;
  const run: RunRecord = {
    ...before,
    id: input.newRunId,
    status: "QUEUED",
    attempt: int(parent, "last_attempt") + 1,
    recoveries: 0,
    parentRunId: before.id,
    owner: null,
    generation: 0,
    errorCode: null,
    errorMessage: null,
    queuedAt: input.at,
    startedAt: null,
    finishedAt: null,
  };
  draft.append({ type: "run.queued", runId: run.id, taskId: run.taskId, payload: { attempt: run.attempt } });
  draft.count("run_count");
  draft.set({ last_run_id: run.id, last_activity_at: input.at });
  if (isHead) {
    draft.set({ active_run_id: run.id, status: "BUSY" });
    draft.becameRunnable();
  }
  const task = {
    id: run.taskId,
    status: "WORKING",
    status_reason: null,
    current_run_id: run.id,
    last_run_id: run.id,
    updated_at: input.at,
  };
  tx.write([
    write,
    { op: "update", table: "tasks", rows: [task] },
    { op: "insert", table: "runs", rows: [nextRunValues(draft, run, parent, isHead)] },
    ...draft.writes(),
  ]);
  return run;
}

const nextRunValues = (draft: SessionDraft, run: RunRecord, parent: Row, isHead: boolean) => ({
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
  queue_position: isHead ? null : Number(parent.tail ?? 0) + 1,
  queued_at: run.queuedAt,
  model_call_count: 0,
  step_count: 0,
  usage_status: "COMPLETE",
  trace_id: parent.r_trace_id,
  busy_policy: parent.r_busy_policy,
  created_at: run.queuedAt,
  updated_at: run.queuedAt,
});
