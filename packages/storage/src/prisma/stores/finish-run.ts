import { z } from "zod";
import type { Fence, NewInterrupt, RecordBatch, RunConclusion } from "../../records.ts";
import { sessionSelect } from "../rows.ts";
import type { AppendGroup, Tx } from "../sql.ts";
import type { WriteOp } from "../write-set.ts";
import type { StoreContext } from "./context.ts";
import { endRun, isOvertaken, readEndingRun } from "./end-run.ts";
import { appendGroupOf } from "./record-batch.ts";
import { SessionDraft } from "./session-draft.ts";

/** The last batch and the end in one transaction. */
export async function finishRun(
  context: StoreContext,
  fence: Fence,
  batch: RecordBatch,
  conclusion: RunConclusion,
): Promise<"finished" | "fenced"> {
  const group = appendGroupOf(context, fence, batch);
  // Batches of this run that still wait for their flush were said before.
  await context.commits.settled(fence.sessionId);
  const draft = await context.db.transaction((tx) => finish(context, tx, group, conclusion));
  if (draft === null) return "fenced";
  context.wake(draft.hint);
  return "finished";
}

async function finish(
  context: StoreContext,
  tx: Tx,
  group: AppendGroup,
  conclusion: RunConclusion,
): Promise<SessionDraft | null> {
  const [appended] = await tx.append([group]);
  if (appended === undefined || appended === null) return null;
  // The append holds the session's lock, so what is read now stays.
  const [[row], run] = await Promise.all([
    tx.query(`SELECT ${sessionSelect} FROM sessions s JOIN agents a ON a.id = s.agent_id WHERE s.id = $1`, [
      group.sessionId,
    ]),
    readEndingRun(tx, group.runId),
  ]);
  if (row === undefined || run === null) throw new Error("A fenced run has lost its rows");
  const draft = new SessionDraft(row, { at: conclusion.at, newId: context.newId });
  const interrupts = conclusion.status === "INTERRUPTED" ? (conclusion.interrupts ?? []) : [];
  const ids = { runId: run.id, taskId: run.taskId };
  for (const interrupt of interrupts) appendRequest(draft, ids, interrupt);
  const closedAt = isOvertaken(run, conclusion.status) ? conclusion.at : null;
  tx.write([interruptRows(draft, ids, { interrupts, at: conclusion.at, closedAt })]);
  // The next run needs not look for it.
  if (conclusion.checkpointId != null) draft.set({ head_checkpoint: conclusion.checkpointId });
  endRun(tx, draft, run, conclusion);
  return draft;
}

const Actions = z.array(z.looseObject({ name: z.string() }));

function appendRequest(draft: SessionDraft, ids: { runId: string; taskId: string }, interrupt: NewInterrupt): void {
  const actions = Actions.safeParse(interrupt.actionRequests);
  draft.append({
    type: "interrupt.requested",
    ...ids,
    payload: {
      interruptId: interrupt.id,
      kind: interrupt.kind,
      actions: actions.success ? actions.data.map((action) => action.name) : [],
      allowedDecisions: interrupt.allowedDecisions,
    },
  });
}

const interruptRows = (
  draft: SessionDraft,
  ids: { runId: string; taskId: string },
  { interrupts, at, closedAt }: { interrupts: readonly NewInterrupt[]; at: Date; closedAt: Date | null },
): WriteOp => ({
  op: "insert",
  table: "interrupts",
  rows: interrupts.map((interrupt) => ({
    id: interrupt.id,
    run_id: ids.runId,
    task_id: ids.taskId,
    session_id: draft.id,
    project_id: draft.projectId,
    interrupt_id: interrupt.interruptId,
    kind: interrupt.kind,
    action_requests: interrupt.actionRequests,
    allowed_decisions: interrupt.allowedDecisions,
    requested_at: at,
    expires_at: interrupt.expiresAt,
    closed_at: closedAt,
    created_at: at,
    updated_at: at,
  })),
});
