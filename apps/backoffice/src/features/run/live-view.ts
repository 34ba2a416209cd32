import type {
  Decision,
  EventVisibility,
  FoldedMessage,
  MessageRole,
  RunStatus,
  SessionStatus,
  StepKind,
  StepStatus,
  UsageStatus,
} from "@wheelhouse/domain";

/*
 * Glossary of the live view: what the pages of a conversation and of a run render. It is made of two sources that
 * overlap, the rows that a query answered and the log behind them, and it is the same whichever came first.
 * Ids are local: the part of a global id behind its first "_", which is also what event payloads carry.
 */

/** One event as it arrives from the API. */
export interface LogEvent {
  sequence: number;
  type: string;
  visibility: EventVisibility;
  /** ISO 8601, UTC. */
  at: string;
  runId: string | null;
  taskId: string | null;
  payload: Record<string, unknown>;
}

/** What the model asked a tool to do, as a message carries it. */
export interface ToolRequest {
  id: string;
  name: string;
  args: unknown;
}

export interface MessageView extends FoldedMessage {
  at: string;
  /** Place in the session once a row of it is known; null while only the log tells of it. */
  seq: number | null;
  toolRequests: readonly ToolRequest[];
  /** Of a TOOL message: the call that it answers. */
  toolCallId: string | null;
  model: string | null;
  tokenCount: number | null;
  finishReason: string | null;
  /** Pieces before those that were seen are missing: the text is not to be trusted until a row of it arrives. */
  gap: boolean;
}

export type ToolState = "running" | "completed" | "failed";

/** One call of a tool, as the log tells it. */
export interface ToolView {
  toolCallId: string;
  name: string;
  state: ToolState;
  runId: string | null;
  stepId: string | null;
  sequence: number;
  startedAt: string | null;
  argumentNames: readonly string[];
  /** Undefined when the agent's payloads are not recorded in the log. */
  arguments: unknown;
  durationMs: number | null;
  outputBytes: number | null;
  error: string | null;
}

export interface RunView {
  runId: string;
  taskId: string | null;
  status: RunStatus;
  attempt: number;
  recoveries: number;
  /** Sequence of the first event known of it; rows that came by query have 0. */
  sequence: number;
  queuedAt: string;
  startedAt: string | null;
  firstEventAt: string | null;
  finishedAt: string | null;
  error: { code: string; message: string | null } | null;
  /** As its row had it; null while only the log tells of the run. */
  usage: RunUsage | null;
}

/** Tokens as the provider reported them. */
export interface RunUsage {
  promptTokens: number | null;
  completionTokens: number | null;
  totalTokens: number | null;
  cachedPromptTokens: number | null;
  reasoningTokens: number | null;
  modelCalls: number;
  status: UsageStatus;
}

export interface StepView {
  stepId: string;
  name: string;
  kind: StepKind;
  status: StepStatus;
  seq: number;
  runId: string | null;
  parentStepId: string | null;
  startedAt: string;
  finishedAt: string | null;
  durationMs: number | null;
  error: string | null;
}

export interface ActionRequest {
  name: string;
  args: unknown;
  description: string | null;
  /** Whether edited arguments are checked by the tool's schema. */
  checked: boolean;
}

export interface InterruptView {
  id: string;
  runId: string | null;
  kind: string;
  actions: readonly ActionRequest[];
  allowedDecisions: readonly Decision[];
  requestedAt: string;
  expiresAt: string | null;
  decision: Decision | null;
  decidedBy: string | null;
  decidedAt: string | null;
  /** Nobody answered, and nobody may any more: its time is over, or its task was cancelled. */
  expired: boolean;
  /** Known from the log alone: what exactly it asks comes with its row. */
  provisional: boolean;
}

export interface Todo {
  content: string;
  state: "pending" | "active" | "done";
}

export interface LiveView {
  sessionId: string;
  /** Everything up to here is in the view; 0 when nothing of the log was folded. */
  sequence: number;
  status: SessionStatus;
  messages: ReadonlyMap<string, MessageView>;
  tools: ReadonlyMap<string, ToolView>;
  runs: ReadonlyMap<string, RunView>;
  steps: ReadonlyMap<string, StepView>;
  interrupts: ReadonlyMap<string, InterruptView>;
  /** The agent's plan, by the run that wrote it last. */
  todos: readonly Todo[];
  todosRunId: string | null;
  /** Sequences at which rows became worth reading again, because the log says that they hold more than it does. */
  stale: { messages: number; runs: number; interrupts: number; steps: number };
}

/** Rows as a query answered them, in the words of the view. */
export interface Snapshot {
  sessionId: string;
  status: SessionStatus;
  /** The end of the log when the rows were read: they are at least as new as this. */
  sequence: number;
  messages: readonly MessageRow[];
  runs: readonly RunView[];
  interrupts: readonly InterruptView[];
}

export interface MessageRow {
  messageId: string;
  role: MessageRole;
  text: string;
  runId: string | null;
  seq: number;
  at: string;
  toolRequests: readonly ToolRequest[];
  toolCallId: string | null;
  model: string | null;
  tokenCount: number | null;
}
