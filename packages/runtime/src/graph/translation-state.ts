import type { Clock, EventType, EventVisibility, NewEvent, NewId, StepKind, StepStatus } from "@wheelhouse/domain";
import type { RecordBatch, StepWrite } from "@wheelhouse/storage";
import { type ErrorOrigins, newErrorOrigins, type RunRefusal } from "./classify-failure.ts";
import type { MessageLike } from "./payload.ts";
import { recordable } from "./payload.ts";
import type { RedactText } from "./redact-text.ts";

export interface TranslationOptions {
  runId: string;
  taskId: string;
  /** The first step gets the next number. */
  lastStepSeq: number;
  /** Larger payloads are kept as a preview with size and checksum, UTF-8 bytes. */
  maxPayloadBytes: number;
  /** A tool that returns more ends the run, UTF-8 bytes. */
  maxToolOutputBytes: number;
  /** False: names, times, errors and counts only. */
  recordPayloads: boolean;
  /** Tokens that the run may use, as its models report them; null when there is no limit. */
  tokenBudget: number | null;
  /** Of these, the ones that are used already. */
  tokensUsed: number;
  /** LangGraph ids of messages that are recorded already. */
  knownMessageIds: readonly string[];
  clock: Clock;
  newId: NewId;
  redact: RedactText;
}

/** A step that has started and not ended. */
export interface OpenStep {
  callbackId: string;
  write: StepWrite;
  /** In the main conversation, or below a tool. */
  main: boolean;
  tool?: { callId: string; name: string; subagent: string | null };
  model?: {
    provider: string;
    model: string;
    firstTokenAt: number | null;
    /** Not told to readers: marked so by the graph's author, or below a tool. */
    silent: boolean;
    messageId: string | null;
  };
  /** Failures are counted by it, so that a retry knows its number. */
  place: string;
  /** Which unsent batch holds the write of its start, so that a quick end replaces it. */
  batch: RecordBatch;
}

/** Where a callback run stands: below which step, on which path of the graph. */
export interface Frame {
  step: OpenStep | null;
  path: string;
  main: boolean;
}

/** An assistant message that streams, or has streamed, and is not known yet to stay. */
export interface PendingMessage {
  id: string;
  started: boolean;
  /** UTF-16 code units told so far. */
  sent: number;
  /** Half of a surrogate pair, waiting for the other. */
  carry: string;
  /** Set when the model has ended. */
  message: MessageLike | null;
  model: string | null;
  tokenCount: number | null;
  finishReason: string | undefined;
}

export interface TranslationState {
  readonly options: TranslationOptions;
  readonly origins: ErrorOrigins;
  batch: RecordBatch;
  seq: number;
  frames: Map<string, Frame>;
  open: Map<string, OpenStep>;
  pending: Map<string, PendingMessage>;
  /** Ids of messages that need no telling any more. */
  seen: Set<string>;
  /** Whether an assistant message of this run stayed in the graph's state. */
  kept: boolean;
  failures: Map<string, number>;
  rootId: string | null;
  rootOutput: unknown;
  /** Tokens that models have reported so far. */
  tokensUsed: number;
  /** Set when what happened must end the run. */
  refusal: RunRefusal | null;
  closed: boolean;
}

export const emptyBatch = (): RecordBatch => ({ events: [], steps: [], messages: [], modelCalls: [] });

export function newTranslation(options: TranslationOptions): TranslationState {
  return {
    options,
    origins: newErrorOrigins(),
    batch: emptyBatch(),
    seq: options.lastStepSeq,
    frames: new Map(),
    open: new Map(),
    pending: new Map(),
    seen: new Set(options.knownMessageIds),
    kept: false,
    failures: new Map(),
    rootId: null,
    rootOutput: undefined,
    tokensUsed: options.tokensUsed,
    refusal: null,
    closed: false,
  };
}

/** What has been translated since the last call, or null when that is nothing. */
export function takeBatch(state: TranslationState): RecordBatch | null {
  const { batch } = state;
  if (batch.events.length + batch.steps.length + batch.messages.length + batch.modelCalls.length === 0) return null;
  state.batch = emptyBatch();
  return batch;
}

type PayloadOf<T extends EventType> = Extract<NewEvent, { type: T }>["payload"];

/** Adds an event of this run. */
export function tell<T extends EventType>(
  state: TranslationState,
  type: T,
  payload: PayloadOf<T>,
  more: { visibility: EventVisibility; at?: Date; stepId?: string | undefined },
): void {
  const { runId, taskId, clock } = state.options;
  const event = { type, payload, visibility: more.visibility, at: more.at ?? clock.now(), runId, taskId };
  // The union cannot be rebuilt from a generic member; `payload` was checked against `type` in the signature.
  state.batch.events.push((more.stepId === undefined ? event : { ...event, stepId: more.stepId }) as NewEvent);
}

/** A value for a step's row: undefined when payloads are not recorded. */
export function stepPayload(state: TranslationState, value: unknown, shortenMessages = false): unknown {
  if (!state.options.recordPayloads || value === undefined) return undefined;
  return recordable(value, { maxBytes: state.options.maxPayloadBytes, shortenMessages });
}

export interface StepStart {
  callbackId: string;
  parent: Frame;
  name: string;
  kind: StepKind;
  /** Path of the step's own frame. */
  path: string;
  /** What a retry of the same thing has in common with it; the path when absent. */
  place?: string;
  /** Whether what happens below it belongs to the main conversation. */
  main: boolean;
  inputs?: unknown;
  prompt?: unknown;
  toolCallId?: string;
}

/** Reserves the next number, writes the running step and opens its frame. */
export function startStep(state: TranslationState, start: StepStart): OpenStep {
  const { clock, newId } = state.options;
  state.seq += 1;
  const place = `${start.parent.step?.write.id ?? ""} ${start.kind} ${start.place ?? start.path}`;
  const write: StepWrite = {
    id: newId(),
    parentStepId: start.parent.step?.write.id ?? null,
    name: start.name,
    kind: start.kind,
    status: "RUNNING",
    seq: state.seq,
    attempt: (state.failures.get(place) ?? 0) + 1,
    startedAt: clock.now(),
    finishedAt: null,
    durationMs: null,
  };
  if (start.inputs !== undefined) write.inputs = start.inputs;
  if (start.prompt !== undefined) write.prompt = start.prompt;
  if (start.toolCallId !== undefined) {
    write.toolCallId = start.toolCallId;
    write.toolUri = `tool:${start.name}`;
  }
  state.batch.steps.push(write);
  const step: OpenStep = { callbackId: start.callbackId, write, main: start.parent.main, place, batch: state.batch };
  state.open.set(start.callbackId, step);
  state.frames.set(start.callbackId, { step, path: start.path, main: start.main });
  tell(state, "step.started", stepNames(write), { visibility: "OPERATOR", at: write.startedAt, stepId: write.id });
  return step;
}

export interface StepEnd {
  status: Exclude<StepStatus, "RUNNING">;
  output?: unknown;
  error?: string;
  metadata?: Record<string, unknown>;
}

/** Writes the end of a step; returns how long it took, milliseconds. */
export function endStep(state: TranslationState, step: OpenStep, end: StepEnd): number {
  const at = state.options.clock.now();
  const durationMs = Math.max(0, at.getTime() - step.write.startedAt.getTime());
  const write: StepWrite = { ...step.write, status: end.status, finishedAt: at, durationMs };
  if (end.output !== undefined) write.output = end.output;
  if (end.error !== undefined) write.error = end.error;
  if (end.metadata !== undefined) write.metadata = end.metadata;
  const unsent = step.batch === state.batch ? state.batch.steps.indexOf(step.write) : -1;
  if (unsent >= 0) state.batch.steps[unsent] = write;
  else state.batch.steps.push(write);
  if (end.status === "FAILED") state.failures.set(step.place, step.write.attempt);
  else state.failures.delete(step.place);
  state.open.delete(step.callbackId);
  state.frames.delete(step.callbackId);
  const more = { visibility: "OPERATOR" as const, at, stepId: write.id };
  const names = stepNames(write);
  if (end.error === undefined) tell(state, "step.completed", { ...names, status: end.status, durationMs }, more);
  else tell(state, "step.failed", { ...names, status: end.status, durationMs, error: end.error }, more);
  return durationMs;
}

function stepNames({ id, name, kind, seq, parentStepId }: StepWrite) {
  const names = { stepId: id, name, kind, seq };
  return parentStepId === null ? names : { ...names, parentStepId };
}
