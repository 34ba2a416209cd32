// The glossary of storage: what rows look like to the runtime. Timestamps are UTC with millisecond precision.
import type {
  AgentSource,
  BusyPolicy,
  Decision,
  EventVisibility,
  Manifest,
  MessageRole,
  NewEvent,
  RunEnding,
  RunFailure,
  RunStatus,
  Scope,
  SessionStatus,
  StepKind,
  StepStatus,
  StoredEvent,
  TaskStatus,
  TokenCounts,
} from "@wheelhouse/domain";

export interface AgentRecord {
  id: string;
  projectId: string;
  name: string;
  displayName: string;
  description: string | null;
  source: AgentSource;
}

export interface SessionRecord {
  id: string;
  projectId: string;
  agentId: string;
  agentName: string;
  scope: Scope;
  scopeKey: string;
  externalId: string | null;
  /** The LangGraph thread; one per session. */
  threadId: string;
  title: string | null;
  status: SessionStatus;
  lastSequence: number;
  activeRunId: string | null;
  createdAt: Date;
  lastActivityAt: Date;
}

/**
 * Where a conversation stands in its LangGraph thread: at a checkpoint (`at`; null: before the first one), or wherever the
 * run got to that was the last to go on with it (`after`), which only the checkpoints themselves tell: it runs still, or it
 * was ended from outside. The newest checkpoint of a thread is not the answer, as turns are taken back and lost workers
 * go on for a while.
 */
export type ConversationHead =
  | { at: string | null }
  /** `checkpointBefore` is where that run began, should it have left no checkpoint. */
  | { after: { runId: string; checkpointBefore: string | null } };

export interface TaskRecord {
  id: string;
  sessionId: string;
  agentId: string | null;
  status: TaskStatus;
  statusReason: string | null;
  input: unknown;
  output: unknown;
  idempotencyKey: string | null;
  requestFingerprint: string;
  currentRunId: string | null;
  lastRunId: string | null;
}

export interface RunRecord {
  id: string;
  sessionId: string;
  taskId: string;
  status: RunStatus;
  attempt: number;
  recoveries: number;
  parentRunId: string | null;
  input: unknown;
  manifest: Manifest;
  manifestDigest: string;
  owner: string | null;
  /** Grows by one with every claim; with the run's id it is the fencing token. */
  generation: number;
  /** Where the conversation stood when the run began; null: before the first checkpoint, or the run has not begun. */
  checkpointBefore: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  queuedAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

export interface InterruptRecord {
  id: string;
  runId: string;
  taskId: string;
  sessionId: string;
  /** What the graph host knows the question by: LangGraph's id of the interrupt, and its place when one asks several. */
  interruptId: string;
  kind: string;
  actionRequests: unknown;
  allowedDecisions: Decision[];
  requestedAt: Date;
  expiresAt: Date | null;
  decidedAt: Date | null;
  decidedBy: string | null;
  decision: Decision | null;
  decisionValue: unknown;
  /** When it stopped waiting without an answer: it expired, or its task ended. */
  closedAt: Date | null;
}

/** The right to write for a run: what `claim` hands out. Everything a worker writes carries it. */
export interface Fence {
  runId: string;
  sessionId: string;
  owner: string;
  generation: number;
}

/** A step as the recorder knows it: written when it starts, written again (same id) when it ends. */
export interface StepWrite {
  id: string;
  parentStepId: string | null;
  name: string;
  kind: StepKind;
  status: StepStatus;
  /** One counter per run, reserved before execution. */
  seq: number;
  attempt: number;
  inputs?: unknown;
  output?: unknown;
  prompt?: unknown;
  error?: string | null;
  toolUri?: string | null;
  toolCallId?: string | null;
  startedAt: Date;
  finishedAt: Date | null;
  durationMs: number | null;
  metadata?: Record<string, unknown>;
}

/** A transcript row. Rows with the same LangGraph id in one session are the same message: the later write updates it. */
export interface MessageWrite {
  id: string;
  langgraphMessageId: string;
  role: MessageRole;
  content: string;
  parts?: unknown;
  toolCalls?: unknown;
  toolCallId?: string | null;
  model?: string | null;
  tokenCount?: number | null;
  createdAt: Date;
}

/** A message as the checkpoint has it. */
export interface RebuiltMessage {
  /** `id` is for a row that is missing; one that is there keeps its own. */
  write: MessageWrite;
  /** What tells it, for a log that never heard of it. */
  events: NewEvent[];
}

export type RebuildOutcome =
  | {
      outcome: "rebuilt";
      inserted: number;
      updated: number;
      /** Events that were appended, for messages that the log lacked. */
      told: number;
    }
  /** A run is at work on the transcript. */
  | { outcome: "busy"; activeRunId: string }
  /** The conversation went on after its checkpoint was looked for. */
  | { outcome: "changed" }
  | { outcome: "notFound" };

/** One call to a provider, written once, when it has ended. */
export interface ModelCallWrite extends TokenCounts {
  id: string;
  stepId: string | null;
  callType: "LLM" | "EMBEDDING";
  provider: string;
  model: string;
  status: "OK" | "ERROR" | "CANCELLED";
  responseCode?: string | null;
  attempt: number;
  error?: string | null;
  startedAt: Date;
  durationMs: number;
  timeToFirstTokenMs: number | null;
}

/** What a run has to say at one moment. All of it commits together, or none of it. */
export interface RecordBatch {
  events: NewEvent[];
  steps: StepWrite[];
  messages: MessageWrite[];
  modelCalls: ModelCallWrite[];
}

export interface NewInterrupt {
  id: string;
  interruptId: string;
  kind: "TOOL_APPROVAL" | "QUESTION";
  /** Tool approvals: `[{name, args, description}]`; questions: `[{name: "question", args: {value}}]`. */
  actionRequests: unknown;
  allowedDecisions: Decision[];
  expiresAt: Date | null;
}

/** How a run ended; `SUCCEEDED` and `INTERRUPTED` may carry the state, `FAILED` carries the failure. */
export interface RunConclusion {
  status: RunEnding;
  output?: unknown;
  /** The final state snapshot. */
  context?: unknown;
  failure?: RunFailure;
  reason?: string;
  /** The last checkpoint it wrote or began at; absent when that is not known. */
  checkpointId?: string | null | undefined;
  interrupts?: NewInterrupt[];
  at: Date;
}

/** Work that a caller asked for, with everything already resolved, so that one transaction can write it. */
export interface NewWork {
  session:
    | { by: "id"; id: string }
    /** Joins the session of this external id, or makes it; two that arrive together join one. */
    | { by: "externalId"; externalId: string; create: NewSession }
    | { by: "new"; create: NewSession };
  agentName: string;
  task: {
    id: string;
    input: unknown;
    idempotencyKey: string | null;
    /** Digest of the canonical request. */
    requestFingerprint: string;
    metadata: Record<string, unknown>;
  };
  run: { id: string; manifest: Manifest; manifestDigest: string; busyPolicy: BusyPolicy; traceId?: string | null };
  /** The user's message, when the input is a conversation turn. Its id is also its LangGraph id. */
  message: { id: string; content: string } | null;
  at: Date;
}

export interface NewSession {
  id: string;
  threadId: string;
  title: string | null;
  metadata: Record<string, unknown>;
}

export type SubmitOutcome =
  | {
      outcome: "submitted";
      session: SessionRecord;
      task: TaskRecord;
      run: RunRecord /** Log position before the task's first event. */;
      sequenceBefore: number;
    }
  | { outcome: "reused"; session: SessionRecord; task: TaskRecord; run: RunRecord; sequenceBefore: number }
  | { outcome: "idempotencyConflict"; taskId: string }
  | { outcome: "busy"; activeRunId: string; activeTaskId: string }
  | { outcome: "agentMismatch"; agentName: string }
  | { outcome: "agentNotFound" }
  | { outcome: "expired" }
  | { outcome: "notFound" };

export type CreateSessionOutcome =
  | { outcome: "created" | "existing"; session: SessionRecord }
  | { outcome: "idempotencyConflict"; sessionId: string }
  | { outcome: "agentNotFound" };

/** A conversation copied up to a checkpoint: the thread is copied first, then this makes it visible at once. */
export interface ForkRequest {
  /** From `announceFork`. */
  forkId: string;
  sourceId: string;
  /** The checkpoint of the source. */
  checkpointId: string;
  session: NewSession;
  /** Where the copy stands: the same checkpoint, or the one of a patched state. */
  headCheckpoint: string;
  /** Transcript and log of the copy. */
  messages: MessageWrite[];
  events: NewEvent[];
  /** Work to do in the copy; its `session` is ignored. */
  work: NewWork | null;
  at: Date;
}

export type ForkOutcome =
  | { outcome: "forked"; session: SessionRecord; work: Extract<SubmitOutcome, { outcome: "submitted" }> | null }
  /** It took so long that its thread was cleared away. */
  | { outcome: "abandoned" }
  | { outcome: "notFound" };

/** What pruning has to know of a session. */
export interface CheckpointAnchors {
  head: ConversationHead;
  /** Where its last runs began. */
  checkpointsBefore: string[];
  /** The run that is active, and the one that was the last to begin. */
  runIds: string[];
  /** Runs whose questions are not answered yet. */
  waitingRunIds: string[];
}

/** Work that ended without success, to be done again. */
export interface RetryRequest {
  taskId: string;
  newRunId: string;
  traceId: string | null;
  at: Date;
}

export type RetryOutcome =
  | {
      outcome: "submitted";
      session: SessionRecord;
      task: TaskRecord;
      run: RunRecord /** Log position before the retry's first event. */;
      sequenceBefore: number;
    }
  | { outcome: "busy"; activeRunId: string; activeTaskId: string }
  /** `status`: it did not fail; `movedOn`: other work came after it; `unreadable`: its pinned definition cannot be read. */
  | { outcome: "notRetryable"; status: TaskStatus; why: "status" | "movedOn" | "unreadable" }
  | { outcome: "expired" }
  | { outcome: "notFound" };

export type CancelOutcome =
  | { outcome: "cancelled"; taskId: string; runId: string | null }
  /** What was named has ended; `status` is its own, the task's or the run's. */
  | { outcome: "notCancellable"; taskId: string; status: TaskStatus | RunStatus }
  | { outcome: "notFound" };

/** A task that nobody answered in time. */
export interface ExpiredTask {
  taskId: string;
  sessionId: string;
  /** The interrupts that were closed with it. */
  interruptIds: string[];
}

export interface InterruptDecision {
  id: string;
  decision: Decision;
  /** EDIT: the new arguments; REJECT: the message; RESPOND: the value. */
  value?: unknown;
  editedArgumentNames?: string[];
}

export type DecideOutcome =
  | {
      outcome: "decided";
      interrupts: InterruptRecord[];
      /** The run that continues the task, once every interrupt of it is answered. */
      run: RunRecord | null;
    }
  | { outcome: "alreadyDecided"; interrupt: InterruptRecord }
  | { outcome: "notAllowed"; interrupt: InterruptRecord }
  /** The task ended in the meantime (cancelled, expired). */
  | { outcome: "closed"; taskId: string }
  | { outcome: "notFound"; id: string };

/** A run in a worker's hands. */
export interface ClaimedRun {
  fence: Fence;
  run: RunRecord;
  session: SessionRecord;
  /** True when an earlier owner lost its lease: continue from the last checkpoint. */
  recovered: boolean;
  /** Where the conversation stood before this run. When it has to be looked up, `begin` records what was found. */
  head: ConversationHead;
  /** Answers to the interrupts of the run that it resumes, when this run continues a task. */
  resume: InterruptRecord[] | null;
}

/** A place in a project's feed: behind everything that lies at or before it. Null is its beginning. */
export interface FeedPlace {
  /** Grows with the commits; several events may share one. */
  position: number;
  sessionId: string;
  sequence: number;
}

/** An event with what decides who sees it in a feed. */
export interface FeedEvent extends StoredEvent {
  position: number;
  agentName: string;
  scope: Scope;
  scopeKey: string;
}

/** Which events of a feed; what is absent lets everything through, an empty list nothing. */
export interface FeedFilter {
  types?: readonly string[];
  visibilities?: readonly EventVisibility[];
  agents?: readonly string[];
  sessionId?: string;
}

export interface FeedPage {
  /** In the order of the feed: a session's events by sequence, sessions as they committed. */
  events: FeedEvent[];
  /** Everything up to here was looked at, also what the filter left out: the next page starts behind it. */
  scannedTo: FeedPlace;
  /** Nothing that may be read already lies behind `scannedTo`, which then is the feed's end. */
  caughtUp: boolean;
  /** Something is committed and has to wait for an older transaction that is still open. */
  heldBack: boolean;
  /** `after` lies beyond the feed's end, where no page has led to: it is not of this database, or that was set back. */
  ahead: boolean;
}

export interface EventPage<E> {
  /** Oldest first. */
  events: E[];
  /** Everything up to here was looked at, also what the filter left out: the next page starts behind it. */
  scannedTo: number;
  /** The last sequence of the session at the time of reading. */
  lastSequence: number;
  /** The oldest event that is still kept; one more than `lastSequence` when none is. */
  firstSequence: number;
}
