import { Decision, StepKind } from "@wheelhouse/domain";
import type { Draft } from "./fold-draft.ts";
import type { InterruptView, LogEvent, StepView, Todo, ToolView } from "./live-view.ts";

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
const number = (value: unknown): number | null => (typeof value === "number" ? value : null);

/** A step begins, or ends. An end without its beginning (the tail began between) makes the step all the same. */
export function foldStep(draft: Draft, event: LogEvent): void {
  const { stepId, name, kind, seq, parentStepId, durationMs, error } = event.payload;
  if (typeof stepId !== "string") return;
  const known = draft.steps.get(stepId);
  if (known !== undefined && known.status !== "RUNNING") return;
  const ended = event.type !== "step.started";
  const took = number(durationMs);
  const before: StepView = known ?? {
    stepId,
    name: text(name) ?? stepId,
    kind: StepKind.safeParse(kind).data ?? "NODE",
    status: "RUNNING",
    seq: number(seq) ?? Number.MAX_SAFE_INTEGER,
    runId: event.runId,
    parentStepId: text(parentStepId),
    startedAt: ended && took !== null ? new Date(Date.parse(event.at) - took).toISOString() : event.at,
    finishedAt: null,
    durationMs: null,
    error: null,
  };
  draft.stale.steps = event.sequence;
  draft.set("steps", stepId, before);
  if (!ended) return;
  draft.set("steps", stepId, {
    ...before,
    status: event.type === "step.failed" ? "FAILED" : "COMPLETED",
    finishedAt: took === null ? event.at : new Date(Date.parse(before.startedAt) + took).toISOString(),
    durationMs: took,
    error: text(error),
  });
}

/** A tool is called, or answers. */
export function foldTool(draft: Draft, event: LogEvent): void {
  const { toolCallId, name, stepId, argumentNames, durationMs, outputBytes, error } = event.payload;
  if (typeof toolCallId !== "string") return;
  const known = draft.tools.get(toolCallId);
  const started = event.type === "tool.started";
  // A recovered run may call the tool again under the same id: the later call counts.
  if (known !== undefined && started && known.sequence >= event.sequence) return;
  const before: ToolView = {
    toolCallId,
    name: text(name) ?? known?.name ?? "tool",
    state: "running",
    runId: event.runId,
    stepId: text(stepId) ?? known?.stepId ?? null,
    sequence: known?.sequence ?? event.sequence,
    startedAt: started ? event.at : (known?.startedAt ?? null),
    argumentNames: Array.isArray(argumentNames)
      ? argumentNames.filter((n) => typeof n === "string")
      : (known?.argumentNames ?? []),
    arguments: event.payload.arguments ?? known?.arguments,
    durationMs: null,
    outputBytes: null,
    error: null,
  };
  draft.set("tools", toolCallId, before);
  if (started) return;
  draft.set("tools", toolCallId, {
    ...before,
    state: event.type === "tool.failed" ? "failed" : "completed",
    durationMs: number(durationMs),
    outputBytes: number(outputBytes),
    error: text(error),
  });
  draft.stale.messages = event.sequence;
}

/** Somebody is asked, answers, or let the time pass. */
export function foldInterrupt(draft: Draft, event: LogEvent): void {
  const id = text(event.payload.interruptId);
  if (id === null) return;
  draft.stale.interrupts = event.sequence;
  const known = draft.interrupts.get(id);
  if (event.type === "interrupt.requested") {
    if (known === undefined) draft.set("interrupts", id, requested(id, event));
    return;
  }
  if (known === undefined || known.decision !== null) return;
  if (event.type === "interrupt.expired") {
    draft.set("interrupts", id, { ...known, expired: true });
    return;
  }
  const decision = Decision.safeParse(event.payload.decision).data ?? null;
  draft.set("interrupts", id, { ...known, decision, decidedBy: text(event.payload.by), decidedAt: event.at });
}

function requested(id: string, event: LogEvent): InterruptView {
  const { kind, actions, allowedDecisions } = event.payload;
  const names = Array.isArray(actions) ? actions.filter((a) => typeof a === "string") : [];
  return {
    id,
    runId: event.runId,
    kind: text(kind) ?? "TOOL_APPROVAL",
    actions: names.map((name) => ({ name, args: undefined, description: null, checked: false })),
    allowedDecisions: Decision.array().safeParse(allowedDecisions).data ?? [],
    requestedAt: event.at,
    expiresAt: null,
    decision: null,
    decidedBy: null,
    decidedAt: null,
    expired: false,
    provisional: true,
  };
}

/** The agent wrote its plan: the whole list, each time. */
export function foldPlan(draft: Draft, event: LogEvent): void {
  const todos = readPlan(event.payload);
  if (todos === null) return;
  draft.todos = todos;
  draft.todosRunId = event.runId;
}

/** What can be shown of a plan, as the log and the call that writes it both carry it; null when there is none. */
export function readPlan(value: unknown): Todo[] | null {
  if (value === null || typeof value !== "object" || !("todos" in value) || !Array.isArray(value.todos)) return null;
  return value.todos.map(todoOf).filter((todo) => todo !== null);
}

function todoOf(value: unknown): Todo | null {
  if (typeof value === "string") return { content: value, state: "pending" };
  if (value === null || typeof value !== "object") return null;
  const content = "content" in value ? text(value.content) : "title" in value ? text(value.title) : null;
  if (content === null) return null;
  const status = "status" in value ? text(value.status) : null;
  return { content, state: status === "completed" ? "done" : status === "in_progress" ? "active" : "pending" };
}
