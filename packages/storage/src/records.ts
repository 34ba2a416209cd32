// The glossary of storage: what rows look like to the runtime. Timestamps are UTC with millisecond precision.
import type {
  AgentSource,
  BusyPolicy,
  Decision,
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
  /** LangGraph's id of the interrupt. */
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

export type CancelOutcome =
  | { outcome: "cancelled"; taskId: string; runId: string | null }
  | { outcome: "notCancellable"; status: TaskStatus }
  | { outcome: "notFound" };

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
  /** Answers to the interrupts of the parent run, by LangGraph interrupt id, when this run continues a task. */
  resume: InterruptRecord[] | null;
}

export interface EventPage<E> {
  /** Oldest first. */
  events: E[];
  /** Everything up to here was looked at, also what the filter left out: the next page starts behind it. */
  scannedTo: number;
  /** The last sequence of the session at the time of reading. */
  lastSequence: number;
}
