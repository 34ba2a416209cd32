import type {
  InterruptRowFragment,
  LogEventRowFragment,
  RunSummaryFragment,
  StepRowFragment,
} from "../../generated/graphql.ts";
import type { ActionRequest, InterruptView, LogEvent, RunView, StepView } from "./live-view.ts";
import { localId } from "./snapshot.ts";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A run as the API answers it, in the words of the view. */
export const readRun = (row: RunSummaryFragment): RunView => ({
  runId: localId(row.id),
  taskId: localId(row.task.id),
  status: row.status,
  attempt: row.attempt,
  recoveries: row.recoveries,
  sequence: 0,
  queuedAt: row.queuedAt,
  startedAt: row.startedAt,
  firstEventAt: row.firstEventAt,
  finishedAt: row.finishedAt,
  error: row.error === null ? null : { code: row.error.code, message: row.error.message },
  usage: row.usage,
});

export const readInterrupt = (row: InterruptRowFragment): InterruptView => ({
  id: localId(row.id),
  runId: localId(row.run.id),
  kind: row.kind,
  actions: readActions(row.actionRequests),
  allowedDecisions: row.allowedDecisions,
  requestedAt: row.requestedAt,
  expiresAt: row.expiresAt,
  decision: row.decision,
  decidedBy: row.decidedBy,
  decidedAt: row.decidedAt,
  expired: row.closedAt !== null,
  provisional: false,
});

function readActions(value: unknown): ActionRequest[] {
  const list = Array.isArray(value)
    ? value
    : isObject(value) && Array.isArray(value.actionRequests)
      ? value.actionRequests
      : [value];
  return list.map((action: unknown) => {
    if (!isObject(action)) return { name: "question", args: action, description: null, checked: false };
    return {
      name: typeof action.name === "string" ? action.name : "question",
      args: action.args ?? action.arguments ?? null,
      description: typeof action.description === "string" ? ownWords(action.description) : null,
      checked: isObject(action.argsSchema),
    };
  });
}

/** A description without the tool and the arguments that frameworks repeat in it: they are shown by themselves. */
export function ownWords(description: string): string | null {
  const words = description.replace(/(^|\n)Tool: [^\n]*\n+Args: [\s\S]*$/, "").trim();
  return words === "" || words === "Tool execution requires approval" ? null : words;
}

export const readStep = (row: StepRowFragment, runId: string): StepView => ({
  stepId: localId(row.id),
  name: row.name,
  kind: row.kind,
  status: row.status,
  seq: row.seq,
  runId,
  parentStepId: row.parentStepId === null ? null : localId(row.parentStepId),
  startedAt: row.startedAt,
  finishedAt: row.finishedAt,
  durationMs: row.durationMs,
  error: row.error,
});

type EventRow = Omit<LogEventRowFragment, "id" | "sessionId">;

export const readEvent = (row: EventRow): LogEvent => ({
  sequence: row.sequence,
  type: row.type,
  visibility: row.visibility,
  at: row.at,
  runId: row.runId === null ? null : localId(row.runId),
  taskId: row.taskId === null ? null : localId(row.taskId),
  payload: isObject(row.payload) ? row.payload : {},
});
