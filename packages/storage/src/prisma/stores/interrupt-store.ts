import { type Authority, TaskStatus } from "@wheelhouse/domain";
import type { InterruptStore } from "../../port.ts";
import type { DecideOutcome, InterruptDecision, InterruptRecord } from "../../records.ts";
import { interruptOf, interruptSelect, sessionSelect } from "../rows.ts";
import type { Tx } from "../sql.ts";
import type { WriteOp } from "../write-set.ts";
import type { StoreContext } from "./context.ts";
import { expireInterrupts } from "./expire-interrupts.ts";
import { queueNextAttempt } from "./next-attempt.ts";
import { joinHints, SessionDraft } from "./session-draft.ts";
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
    async expire(input) {
      const { expired, drafts } = await context.db.transaction((tx) => expireInterrupts(context, tx, input));
      if (drafts.length > 0) context.wake(joinHints(drafts));
      return expired;
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
  const [from] = answered;
  if (isLast && from !== undefined) {
    const next = { id: input.newRunId, parentRunId: from.runId, at: input.at };
    const run = await queueNextAttempt(tx, draft, next, [write]);
    return { outcome: { outcome: "decided", interrupts: answered, run }, draft };
  }
  draft.set({ last_activity_at: input.at });
  tx.write([write, ...draft.writes()]);
  return { outcome: { outcome: "decided", interrupts: answered, run: null }, draft };
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
    if (interrupt.closedAt !== null || taskStatus !== "INPUT_REQUIRED")
      return { outcome: "closed", taskId: interrupt.taskId };
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
