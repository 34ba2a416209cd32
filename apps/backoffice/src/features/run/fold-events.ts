import {
  canRunBecome,
  type FoldedMessage,
  foldMessage,
  isActiveRun,
  type RunStatus,
  RunStatus as RunStatusSchema,
} from "@wheelhouse/domain";
import { foldInterrupt, foldPlan, foldStep, foldTool } from "./fold-details.ts";
import { type Draft, draftOf, finishDraft } from "./fold-draft.ts";
import type { LiveView, LogEvent, MessageView, RunView } from "./live-view.ts";

/** An empty view of a session: folding its whole log into it gives the whole conversation. */
export const emptyView = (sessionId: string): LiveView => ({
  sessionId,
  sequence: 0,
  status: "IDLE",
  messages: new Map(),
  tools: new Map(),
  runs: new Map(),
  steps: new Map(),
  interrupts: new Map(),
  todos: [],
  todosRunId: null,
  stale: { messages: 0, runs: 0, interrupts: 0, steps: 0 },
});

/**
 * Adds events to a view and returns the new one; the same object when they say nothing new. Events at or before the
 * view's sequence are skipped, so a page that comes twice, or overlaps the one before, changes nothing. States only
 * go forward: an old event replayed over a newer row does not take it back.
 */
export function foldEvents(view: LiveView, events: readonly LogEvent[]): LiveView {
  const draft = draftOf(view);
  for (const event of events) {
    if (event.sequence <= draft.sequence) continue;
    draft.sequence = event.sequence;
    foldEvent(draft, event);
  }
  return finishDraft(view, draft);
}

function foldEvent(draft: Draft, event: LogEvent): void {
  const noun = event.type.slice(0, event.type.indexOf("."));
  if (noun === "message") foldMessageEvent(draft, event);
  else if (noun === "run") foldRun(draft, event);
  else if (noun === "step") foldStep(draft, event);
  else if (noun === "tool") foldTool(draft, event);
  else if (noun === "interrupt") foldInterrupt(draft, event);
  else if (noun === "plan") foldPlan(draft, event);
  else if (noun === "usage") draft.stale.runs = event.sequence;
}

function foldMessageEvent(draft: Draft, event: LogEvent): void {
  const id = event.payload.messageId;
  if (typeof id !== "string") return;
  const known = draft.messages.get(id);
  // A row is complete: what the log still has to say of it is older than the row.
  if (known !== undefined && known.seq !== null && event.type !== "message.discarded") return;
  const folded = foldMessage(known === undefined ? new Map() : new Map([[id, known]]), event).get(id);
  const missed = missesPieces(known, event);
  if (folded === undefined && !missed) return;
  const { finishReason, toolCallId } = event.payload;
  const before: MessageView = known ?? { ...blankMessage, ...(folded ?? unseen(id, event)), at: event.at };
  draft.set("messages", id, {
    ...before,
    ...folded,
    gap: missed || (before.gap && event.type !== "message.started"),
    finishReason: typeof finishReason === "string" ? finishReason : before.finishReason,
    toolCallId: typeof toolCallId === "string" ? toolCallId : before.toolCallId,
  });
  if (event.type === "message.completed" || missed) draft.stale.messages = event.sequence;
}

/** Whether a piece begins behind what is known of its message. */
function missesPieces(known: MessageView | undefined, event: LogEvent): boolean {
  const { index } = event.payload;
  return event.type === "message.delta" && typeof index === "number" && index > (known?.text.length ?? 0);
}

const unseen = (messageId: string, event: LogEvent): FoldedMessage => ({
  messageId,
  role: "ASSISTANT",
  text: "",
  runId: event.runId,
  state: "streaming",
  sequence: event.sequence,
});

const blankMessage = {
  seq: null,
  toolRequests: [],
  toolCallId: null,
  model: null,
  tokenCount: null,
  finishReason: null,
  gap: false,
} as const;

const runStatusOf: Record<string, RunStatus> = {
  "run.queued": "QUEUED",
  "run.started": "RUNNING",
  "run.recovered": "RUNNING",
  "run.succeeded": "SUCCEEDED",
  "run.failed": "FAILED",
  "run.cancelled": "CANCELLED",
  "run.interrupted": "INTERRUPTED",
};

const sessionStatusOf = {
  QUEUED: "BUSY",
  RUNNING: "BUSY",
  SUCCEEDED: "IDLE",
  FAILED: "ERROR",
  CANCELLED: "IDLE",
  INTERRUPTED: "WAITING",
} as const satisfies Record<RunStatus, LiveView["status"]>;

function foldRun(draft: Draft, event: LogEvent): void {
  const status = RunStatusSchema.safeParse(runStatusOf[event.type]).data;
  if (status === undefined || event.runId === null) return;
  const known = draft.runs.get(event.runId);
  const before = known ?? newRun(event.runId, event);
  // A row may be ahead of the log: then the event is history and only fills what the row does not know.
  const forward = known === undefined || canRunBecome(known.status, status) || known.status === status;
  const next: RunView = { ...before, taskId: before.taskId ?? event.taskId };
  if (before.sequence === 0) next.sequence = event.sequence;
  if (event.type === "run.started") next.startedAt ??= event.at;
  if (forward) {
    next.status = status;
    if (typeof event.payload.attempt === "number") next.attempt = event.payload.attempt;
    if (event.type === "run.recovered" && known?.status !== undefined) next.recoveries = before.recoveries + 1;
    if (!isActiveRun(status)) endRun(draft, next, event);
    draft.status = sessionStatus(draft, next);
  }
  draft.set("runs", event.runId, next);
  if (event.type !== "run.queued") draft.stale.runs = event.sequence;
  if (!isActiveRun(status)) draft.stale.messages = event.sequence;
}

const newRun = (runId: string, event: LogEvent): RunView => ({
  runId,
  taskId: event.taskId,
  status: "QUEUED",
  attempt: 1,
  recoveries: 0,
  sequence: event.sequence,
  queuedAt: event.at,
  startedAt: null,
  firstEventAt: null,
  finishedAt: null,
  error: null,
  usage: null,
});

/** What a run leaves open when it ends, ends with it: a reader must not see a tool or a step spin for ever. */
function endRun(draft: Draft, run: RunView, event: LogEvent): void {
  run.finishedAt ??= event.at;
  const { code, reason } = event.payload;
  if (event.type === "run.failed")
    run.error ??= {
      code: typeof code === "string" ? code : "INTERNAL",
      message: typeof reason === "string" ? reason : null,
    };
  for (const message of draft.messages.values()) {
    if (message.runId === run.runId && message.state === "streaming")
      draft.set("messages", message.messageId, { ...message, state: "complete" });
  }
  for (const tool of draft.tools.values()) {
    if (tool.runId === run.runId && tool.state === "running")
      draft.set("tools", tool.toolCallId, { ...tool, state: run.status === "SUCCEEDED" ? "completed" : "failed" });
  }
  for (const step of draft.steps.values()) {
    if (step.runId === run.runId && step.status === "RUNNING")
      draft.set("steps", step.stepId, {
        ...step,
        status: run.status === "FAILED" ? "FAILED" : run.status === "CANCELLED" ? "CANCELLED" : "COMPLETED",
        finishedAt: event.at,
      });
  }
}

/** The session is as its newest run; while another run is active it stays busy. */
function sessionStatus(draft: Draft, run: RunView): LiveView["status"] {
  for (const other of draft.runs.values()) if (other.runId !== run.runId && isActiveRun(other.status)) return "BUSY";
  return sessionStatusOf[run.status];
}
