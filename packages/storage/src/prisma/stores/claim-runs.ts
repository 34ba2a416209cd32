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
  time,
} from "../rows.ts";
import type { Row, Tx } from "../sql.ts";
import type { Values } from "../write-set.ts";
import type { StoreContext } from "./context.ts";
import { headColumns, headJoin, headOf, headSelect } from "./conversation-head.ts";
import { earlierAttempts, isAnswered } from "./earlier-attempts.ts";
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
  const [abandoned, heads] = await (input.runIds === undefined
    ? claimable(context, tx, input)
    : claimableOf(context, tx, input, input.runIds));
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

/** Parameter $1 is the length of a lease. */
const columnsOf = ({ dialect }: StoreContext): string =>
  `SELECT ${sessionSelect}, ${runSelect}, t.status AS t_status, ${headSelect}, ${dialect.leaseTime(1)} AS lease_until
   FROM runs r JOIN sessions s ON s.id = r.session_id JOIN agents a ON a.id = s.agent_id JOIN tasks t ON t.id = r.task_id
   ${headJoin}`;

/** Whatever can be had: abandoned runs, and heads of queues. */
function claimable(context: StoreContext, tx: Tx, { leaseMs, limit }: ClaimInput): Promise<[Row[], Row[]]> {
  const { dialect } = context;
  const lock = dialect.lockFree("s", "r");
  return Promise.all([
    tx.query(
      `${columnsOf(context)} WHERE r.status = 'RUNNING' AND r.lease_expires_at <= ${dialect.leaseTime(3)}
       ORDER BY r.lease_expires_at LIMIT $2 ${lock}`,
      [leaseMs, limit, 0],
    ),
    tx.query(
      `${columnsOf(context)} WHERE r.status = 'QUEUED' AND r.queue_position IS NULL
       ORDER BY r.queued_at, r.id LIMIT $2 ${lock}`,
      [leaseMs, limit],
    ),
  ]);
}

/** These runs, as far as they can be had. Waits for whoever is at them: nobody would look again soon. */
async function claimableOf(
  context: StoreContext,
  tx: Tx,
  { leaseMs, limit }: ClaimInput,
  runIds: readonly string[],
): Promise<[Row[], Row[]]> {
  const { dialect } = context;
  // The session's lock first, as everywhere: rows are locked in the order in which they are named.
  const rows = await tx.query(
    `${columnsOf(context)} WHERE ${dialect.inList("r.id", 4)}
       AND (r.status = 'RUNNING' AND r.lease_expires_at <= ${dialect.leaseTime(3)}
         OR r.status = 'QUEUED' AND r.queue_position IS NULL)
     ORDER BY r.id LIMIT $2 ${dialect.lock("s", "r")}`,
    [leaseMs, limit, 0, runIds],
  );
  const isAbandoned = (row: Row) => row.r_status === "RUNNING";
  return [rows.filter(isAbandoned), rows.filter((row) => !isAbandoned(row))];
}

function take(
  draft: SessionDraft,
  row: Row,
  recovered: boolean,
  { input, answers }: { input: ClaimInput; answers: ReadonlyMap<string, InterruptRecord[]> },
): ClaimedRun {
  const before = runOf(row);
  const head = headOf(row, before);
  const run = {
    ...before,
    checkpointBefore: "at" in head ? head.at : before.checkpointBefore,
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
  draft.set({ fence: fenceText(fence), active_run_id: run.id, status: "BUSY", ...headColumns(run.id, head) });
  const session = sessionOf(row);
  return {
    fence,
    run,
    session: { ...session, status: "BUSY", activeRunId: run.id, lastSequence: draft.lastSequence },
    recovered,
    head,
    resume: answers.get(run.id) ?? null,
  };
}

function writeClaims(
  tx: Tx,
  claimed: readonly ClaimedRun[],
  taken: readonly { row: Row; draft: SessionDraft }[],
  input: ClaimInput,
): void {
  const leases = new Map(taken.map(({ row }) => [text(row, "r_id"), time(row, "lease_until")]));
  const runs = claimed.map(({ run }) => ({
    id: run.id,
    status: run.status,
    owner: run.owner,
    generation: run.generation,
    recoveries: run.recoveries,
    checkpoint_before: run.checkpointBefore,
    lease_expires_at: leases.get(run.id),
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

/**
 * The answers that runs go on with, by the run that needs them: those of the latest answered run before it. A retry of a
 * run that had answers finds them behind the run that failed; questions that expired unanswered are passed over.
 */
async function readAnswers(
  context: StoreContext,
  tx: Tx,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, InterruptRecord[]>> {
  const ids = rows.flatMap((row) => (row.r_parent_run_id === null ? [] : [text(row, "r_id")]));
  const answers = new Map<string, InterruptRecord[]>();
  if (ids.length === 0) return answers;
  const found = await tx.query(
    `${earlierAttempts(context.dialect.inList("r.id", 1))}
     SELECT up.for_run, ${interruptSelect} FROM up JOIN interrupts i ON i.run_id = up.id
     WHERE up.attempt = (SELECT max(o.attempt) FROM up o WHERE o.for_run = up.for_run AND ${isAnswered("o")})
     ORDER BY i.requested_at, i.id`,
    [ids],
  );
  for (const row of found) {
    const runId = text(row, "for_run");
    answers.set(runId, [...(answers.get(runId) ?? []), interruptOf(row)]);
  }
  return answers;
}
