import type { RunFailure } from "@wheelhouse/domain";
import type { RunStore } from "../../port.ts";
import type { ClaimedRun, InterruptRecord } from "../../records.ts";
import {
  hasReadableManifest,
  interruptOf,
  interruptSelect,
  runOf,
  runSelect,
  sessionOf,
  sessionSelect,
  text,
} from "../rows.ts";
import type { Row, Tx } from "../sql.ts";
import type { Values } from "../write-set.ts";
import type { StoreContext } from "./context.ts";
import { closeOpenEnds, endRun, readEndingRun } from "./end-run.ts";
import { fenceText } from "./record-batch.ts";
import { SessionDraft } from "./session-draft.ts";

export type ClaimInput = Parameters<RunStore["claim"]>[0];

interface Claims {
  claimed: ClaimedRun[];
  drafts: SessionDraft[];
}

/** Takes abandoned runs first, then the oldest heads of queues. Rows that another claim holds are passed over. */
export async function claimRuns(context: StoreContext, tx: Tx, input: ClaimInput): Promise<Claims> {
  const columns = `SELECT ${sessionSelect}, ${runSelect}, t.status AS t_status FROM runs r
    JOIN sessions s ON s.id = r.session_id JOIN agents a ON a.id = s.agent_id JOIN tasks t ON t.id = r.task_id`;
  const lock = context.dialect.lockFree("s", "r");
  const [abandoned, heads] = await Promise.all([
    tx.query(
      `${columns} WHERE r.status = 'RUNNING' AND r.lease_expires_at <= $1 ORDER BY r.lease_expires_at LIMIT $2 ${lock}`,
      [context.dialect.time(input.at), input.limit],
    ),
    tx.query(
      `${columns} WHERE r.status = 'QUEUED' AND r.queue_position IS NULL ORDER BY r.queued_at, r.id LIMIT $1 ${lock}`,
      [input.limit],
    ),
  ]);
  const drafts: SessionDraft[] = [];
  const taken: { row: Row; draft: SessionDraft; recovered: boolean }[] = [];
  for (const row of abandoned) {
    const draft = new SessionDraft(row, { at: input.at, newId: context.newId });
    drafts.push(draft);
    if (!hasReadableManifest(row)) await giveUp(tx, draft, row, { failure: unreadable, at: input.at });
    else if (Number(row.r_recoveries) >= input.maxRecoveries)
      await giveUp(tx, draft, row, { failure: lostTooOften, at: input.at });
    else taken.push({ row, draft, recovered: true });
  }
  for (const row of heads.slice(0, Math.max(0, input.limit - taken.length))) {
    const draft = new SessionDraft(row, { at: input.at, newId: context.newId });
    drafts.push(draft);
    if (hasReadableManifest(row)) taken.push({ row, draft, recovered: false });
    else await giveUp(tx, draft, row, { failure: unreadable, at: input.at });
  }
  const answers = await readAnswers(
    context,
    tx,
    taken.map(({ row }) => row),
  );
  const claimed = taken.map(({ row, draft, recovered }) => take(draft, row, recovered, { input, answers }));
  writeClaims(tx, claimed, taken, input);
  return { claimed, drafts };
}

function take(
  draft: SessionDraft,
  row: Row,
  recovered: boolean,
  { input, answers }: { input: ClaimInput; answers: ReadonlyMap<string, InterruptRecord[]> },
): ClaimedRun {
  const before = runOf(row);
  const run = {
    ...before,
    status: "RUNNING" as const,
    owner: input.owner,
    generation: before.generation + 1,
    recoveries: before.recoveries + (recovered ? 1 : 0),
    startedAt: before.startedAt ?? input.at,
  };
  const fence = { runId: run.id, sessionId: run.sessionId, owner: input.owner, generation: run.generation };
  draft.append({
    type: recovered ? "run.recovered" : "run.started",
    runId: run.id,
    taskId: run.taskId,
    payload: { attempt: run.attempt, generation: run.generation },
  });
  draft.set({ fence: fenceText(fence), active_run_id: run.id, status: "BUSY" });
  const session = sessionOf(row);
  return {
    fence,
    run,
    session: { ...session, status: "BUSY", activeRunId: run.id, lastSequence: draft.lastSequence },
    recovered,
    resume: run.parentRunId === null ? null : (answers.get(run.parentRunId) ?? null),
  };
}

function writeClaims(
  tx: Tx,
  claimed: readonly ClaimedRun[],
  taken: readonly { row: Row; draft: SessionDraft }[],
  input: ClaimInput,
): void {
  const lease = new Date(input.at.getTime() + input.leaseMs);
  const runs = claimed.map(({ run }) => ({
    id: run.id,
    status: run.status,
    owner: run.owner,
    generation: run.generation,
    recoveries: run.recoveries,
    lease_expires_at: lease,
    started_at: run.startedAt,
    updated_at: input.at,
  }));
  const tasks: Values[] = taken
    .filter(({ row }) => row.t_status === "SUBMITTED")
    .map(({ row }) => ({ id: text(row, "r_task_id"), status: "WORKING", updated_at: input.at }));
  const sessions = taken.flatMap(({ draft }) => draft.writes().flatMap((op) => (op.op === "update" ? op.rows : [])));
  const events = taken.flatMap(({ draft }) => draft.events.rows);
  tx.write([
    { op: "update", table: "sessions", rows: sessions },
    { op: "update", table: "runs", rows: runs },
    { op: "update", table: "tasks", rows: tasks },
    { op: "insert", table: "events", rows: events },
  ]);
}

const lostTooOften: RunFailure = {
  code: "WORKER_LOST",
  message: "The workers that executed this run were lost too often",
};
const unreadable: RunFailure = {
  code: "CONFIG_INVALID",
  message: "The definition pinned with this run cannot be read by this version of the product; submit the work again",
};

/** A run that cannot be executed ends, so that it cannot take worker after worker, or claim after claim, with it. */
async function giveUp(
  tx: Tx,
  draft: SessionDraft,
  row: Row,
  { failure, at }: { failure: RunFailure; at: Date },
): Promise<void> {
  const run = await readEndingRun(tx, text(row, "r_id"));
  if (run === null) throw new Error("A session has lost its run");
  await closeOpenEnds(tx, draft, run, { at, reason: failure.message });
  endRun(tx, draft, run, { status: "FAILED", failure, at });
}

/** The answers a continued task goes on with, by the run that asked. */
async function readAnswers(
  context: StoreContext,
  tx: Tx,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, InterruptRecord[]>> {
  const parents = rows.flatMap((row) => (row.r_parent_run_id === null ? [] : [text(row, "r_parent_run_id")]));
  const answers = new Map<string, InterruptRecord[]>();
  if (parents.length === 0) return answers;
  const found = await tx.query(
    `SELECT ${interruptSelect} FROM interrupts i WHERE ${context.dialect.inList("i.run_id", 1)} ORDER BY i.requested_at, i.id`,
    [parents],
  );
  for (const interrupt of found.map(interruptOf))
    answers.set(interrupt.runId, [...(answers.get(interrupt.runId) ?? []), interrupt]);
  return answers;
}
