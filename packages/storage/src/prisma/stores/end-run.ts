import {
  type EventType,
  MessageRole,
  type RunEnding,
  type RunFailure,
  runEndings,
  StepKind,
  type TaskStatus,
} from "@wheelhouse/domain";
import { z } from "zod";
import { int, intOrNull, json, text, textOrNull, time, timeOrNull } from "../rows.ts";
import type { Row, Tx } from "../sql.ts";
import type { WriteOp } from "../write-set.ts";
import { overtaken } from "./end-waiting-task.ts";
import type { SessionDraft } from "./session-draft.ts";

/** What ending a run has to know, read under the session's lock. */
export interface EndingRun {
  id: string;
  taskId: string;
  attempt: number;
  generation: number;
  wasRunning: boolean;
  isFollower: boolean;
  startedAt: Date | null;
  /** The follower that becomes the session's head. */
  nextRunId: string | null;
  steps: number;
  usage: { model: string; calls: number; known: number; totals: (number | null)[] }[];
}

/** Reads what `endRun` needs; null when there is no such run. The caller holds the lock of the session. */
export async function readEndingRun(tx: Tx, runId: string): Promise<EndingRun | null> {
  const [[run], usage] = await Promise.all([
    tx.query(
      `SELECT r.id, r.task_id, r.attempt, r.generation, r.status, r.queue_position, r.started_at,
         (SELECT n.id FROM runs n WHERE n.session_id = r.session_id AND n.queue_position IS NOT NULL AND n.id <> r.id
           ORDER BY n.queue_position LIMIT 1) AS next_run_id,
         (SELECT count(*) FROM steps p WHERE p.run_id = r.id) AS steps
       FROM runs r WHERE r.id = $1`,
      [runId],
    ),
    tx.query(
      `SELECT model, count(*) AS calls, count(total_tokens) AS known, sum(prompt_tokens) AS prompt,
         sum(completion_tokens) AS completion, sum(total_tokens) AS total, sum(cached_prompt_tokens) AS cached,
         sum(cache_write_tokens) AS cache_write, sum(reasoning_tokens) AS reasoning
       FROM model_calls WHERE run_id = $1 GROUP BY model ORDER BY model`,
      [runId],
    ),
  ]);
  if (run === undefined) return null;
  return {
    id: text(run, "id"),
    taskId: text(run, "task_id"),
    attempt: int(run, "attempt"),
    generation: int(run, "generation"),
    wasRunning: run.status === "RUNNING",
    isFollower: run.queue_position !== null,
    startedAt: timeOrNull(run, "started_at"),
    nextRunId: textOrNull(run, "next_run_id"),
    steps: int(run, "steps"),
    usage: usage.map((row) => ({
      model: text(row, "model"),
      calls: int(row, "calls"),
      known: int(row, "known"),
      totals: tokenKinds.map(([column]) => intOrNull(row, column)),
    })),
  };
}

const tokenKinds = [
  ["prompt", "promptTokens", "prompt_tokens"],
  ["completion", "completionTokens", "completion_tokens"],
  ["total", "totalTokens", "total_tokens"],
  ["cached", "cachedPromptTokens", "cached_prompt_tokens"],
  ["cache_write", "cacheWriteTokens", null],
  ["reasoning", "reasoningTokens", "reasoning_tokens"],
] as const;

const usageStatus = (calls: number, known: number): "COMPLETE" | "PARTIAL" | "UNAVAILABLE" =>
  known === calls ? "COMPLETE" : known === 0 ? "UNAVAILABLE" : "PARTIAL";

export interface Ending {
  status: RunEnding;
  output?: unknown;
  context?: unknown;
  failure?: RunFailure;
  reason?: string;
  at: Date;
  /** The run that takes the session's head instead of the next follower. */
  replacedBy?: string;
}

/**
 * Ends a run, its task and the session's turn, makes the next follower runnable and writes the draft: everything else
 * that the transition says has to be in it before. With `replacedBy` the draft goes on and its owner writes it.
 */
export function endRun(tx: Tx, draft: SessionDraft, run: EndingRun, ending: Ending): void {
  const { at } = ending;
  const becomes = runEndings[ending.status];
  const task = taskEnding(run, ending);
  recordUsage(draft, run);
  appendEnding(draft, run, ending);
  const next = run.isFollower || ending.replacedBy !== undefined ? null : run.nextRunId;
  const writes: WriteOp[] = [
    { op: "update", table: "runs", rows: [runValues(run, ending)] },
    {
      op: "update",
      table: "tasks",
      rows: [
        {
          id: run.taskId,
          status: task.status,
          status_reason: ending.failure?.message ?? task.reason ?? null,
          output: ending.status === "SUCCEEDED" ? (ending.output ?? null) : null,
          current_run_id: null,
          updated_at: at,
        },
      ],
    },
  ];
  if (ending.status === "FAILED") draft.count("error_count");
  if (run.wasRunning) draft.set({ fence: null });
  if (!run.isFollower) draft.set({ active_run_id: ending.replacedBy ?? next });
  draft.set({ last_activity_at: at, prune_due_at: at });
  // A follower that is taken out of the queue changes nothing about what the session is doing.
  if (!run.isFollower && ending.replacedBy === undefined)
    draft.set({ status: next !== null ? "BUSY" : becomes.session });
  if (ending.replacedBy !== undefined) {
    tx.write(writes);
    return;
  }
  if (next === null) {
    tx.write([...writes, ...draft.writes()]);
    return;
  }
  // A statement of its own, because the database allows one active run at any moment.
  tx.write(writes);
  draft.becameRunnable(next);
  const promotion = { id: next, queue_position: null, updated_at: at };
  tx.write([{ op: "update", table: "runs", rows: [promotion] }, ...draft.writes()]);
}

/** Whether other work begins at once instead of the answer that a run asks for. */
export const isOvertaken = (run: EndingRun, status: RunEnding): boolean =>
  status === "INTERRUPTED" && run.nextRunId !== null;

function taskEnding(
  run: EndingRun,
  { status, reason }: Ending,
): { status: TaskStatus; event: EventType; reason: string | undefined } {
  if (isOvertaken(run, status)) return { status: "CANCELLED", event: "task.cancelled", reason: overtaken };
  const { task, events } = runEndings[status];
  return { status: task, event: events[1], reason };
}

function runValues(run: EndingRun, ending: Ending): { id: string } & Record<string, unknown> {
  const calls = run.usage.reduce((sum, model) => sum + model.calls, 0);
  const known = run.usage.reduce((sum, model) => sum + model.known, 0);
  const tokens = Object.fromEntries(
    tokenKinds.flatMap(([, , column], i) => {
      if (column === null) return [];
      const reported = run.usage.map((model) => model.totals[i] ?? null).filter((n) => n !== null);
      return [[column, reported.length === 0 ? null : reported.reduce((a, b) => a + b, 0)]];
    }),
  );
  return {
    id: run.id,
    status: ending.status,
    output: ending.output ?? null,
    context: ending.context ?? null,
    error_code: ending.failure?.code ?? null,
    error_message: ending.failure?.message ?? null,
    lease_expires_at: null,
    queue_position: null,
    cancel_requested_at: ending.status === "CANCELLED" ? ending.at : null,
    finished_at: ending.at,
    duration_ms: run.startedAt === null ? null : Math.max(0, ending.at.getTime() - run.startedAt.getTime()),
    ...tokens,
    model_call_count: calls,
    step_count: run.steps,
    usage_status: usageStatus(calls, known),
    updated_at: ending.at,
  };
}

function recordUsage(draft: SessionDraft, run: EndingRun): void {
  if (run.usage.length === 0) return;
  const calls = run.usage.reduce((sum, model) => sum + model.calls, 0);
  const known = run.usage.reduce((sum, model) => sum + model.known, 0);
  draft.append({
    type: "usage.recorded",
    visibility: "OPERATOR",
    runId: run.id,
    taskId: run.taskId,
    payload: {
      byModel: run.usage.map((model) => ({
        model: model.model,
        modelCalls: model.calls,
        ...Object.fromEntries(tokenKinds.map(([, name], i) => [name, model.totals[i] ?? null])),
      })),
      status: usageStatus(calls, known),
    },
  });
}

function appendEnding(draft: SessionDraft, run: EndingRun, ending: Ending): void {
  const task = taskEnding(run, ending);
  const why = (reason: string | undefined) => ({
    ...(ending.failure && { code: ending.failure.code, reason: ending.failure.message }),
    ...(reason !== undefined && { reason }),
  });
  draft.append({
    type: runEndings[ending.status].events[0],
    runId: run.id,
    taskId: run.taskId,
    payload: { attempt: run.attempt, generation: run.generation, ...why(ending.reason) },
  });
  // Without the run's id: the run's last word is the event before.
  draft.append({ type: task.event, taskId: run.taskId, payload: { status: task.status, ...why(task.reason) } });
}

/**
 * Closes what a run that ends without its worker left open: steps that were running and messages that were streaming.
 * To be called before `endRun`, so that the run's end stays its last word.
 */
export async function closeOpenEnds(
  tx: Tx,
  draft: SessionDraft,
  run: EndingRun,
  why: { at: Date; reason: string },
): Promise<void> {
  const { steps, messages } = await readOpenEnds(tx, run.id);
  const of = { runId: run.id, taskId: run.taskId };
  for (const step of steps) {
    draft.append({
      type: "step.failed",
      visibility: "OPERATOR",
      ...of,
      stepId: step.id,
      payload: {
        stepId: step.id,
        name: step.name,
        kind: step.kind,
        seq: step.seq,
        ...(step.parentStepId !== null && { parentStepId: step.parentStepId }),
        error: why.reason,
      },
    });
  }
  for (const message of messages)
    draft.append({
      type: "message.discarded",
      ...of,
      payload: { messageId: message.id, role: message.role, reason: why.reason },
    });
  const closed: WriteOp = {
    op: "update",
    table: "steps",
    rows: steps.map((step) => ({
      id: step.id,
      status: "CANCELLED",
      error: why.reason,
      finished_at: why.at,
      duration_ms: Math.max(0, why.at.getTime() - step.startedAt.getTime()),
      updated_at: why.at,
    })),
  };
  tx.write([closed]);
}

export interface OpenEnds {
  steps: {
    id: string;
    name: string;
    kind: StepKind;
    seq: number;
    parentStepId: string | null;
    startedAt: Date;
  }[];
  messages: { id: string; role: MessageRole }[];
}

/** Steps still running, and messages begun in the log and neither completed nor discarded. */
export async function readOpenEnds(tx: Pick<Tx, "query">, runId: string): Promise<OpenEnds> {
  const [steps, events] = await Promise.all([
    tx.query(
      `SELECT id, name, kind, seq, parent_step_id, started_at FROM steps
       WHERE run_id = $1 AND status = 'RUNNING' ORDER BY seq`,
      [runId],
    ),
    tx.query(
      `SELECT type, payload FROM events WHERE run_id = $1
       AND type IN ('message.started', 'message.completed', 'message.discarded') ORDER BY sequence`,
      [runId],
    ),
  ]);
  return { steps: steps.map(openStep), messages: openMessages(events) };
}

const openStep = (row: Row): OpenEnds["steps"][number] => ({
  id: text(row, "id"),
  name: text(row, "name"),
  kind: StepKind.parse(row.kind),
  seq: int(row, "seq"),
  parentStepId: textOrNull(row, "parent_step_id"),
  startedAt: time(row, "started_at"),
});

const MessagePayload = z.looseObject({ messageId: z.string(), role: MessageRole });

function openMessages(events: readonly Row[]): OpenEnds["messages"] {
  const open = new Map<string, MessageRole>();
  for (const event of events) {
    const { messageId, role } = MessagePayload.parse(json(event, "payload"));
    if (event.type === "message.started") open.set(messageId, role);
    else open.delete(messageId);
  }
  return [...open].map(([id, role]) => ({ id, role }));
}
