import { canRunBecome } from "@wheelhouse/domain";
import { readPlan } from "./fold-details.ts";
import { draftOf } from "./fold-draft.ts";
import { emptyView, foldEvents } from "./fold-events.ts";
import type {
  InterruptView,
  LiveView,
  LogEvent,
  MessageRow,
  MessageView,
  RunView,
  Snapshot,
  StepView,
} from "./live-view.ts";

/** The part of a global id behind its type: what event payloads carry. */
export const localId = (id: string): string => id.slice(id.indexOf("_") + 1);

/**
 * The first view of a session: its rows, and on top of them the log of the run that is active, because what it has
 * written so far of an answer is in no row yet. `activeEvents` begins with that run's first event and may be a part of
 * it: the tail then begins behind the part (`tailFrom` is "events"), otherwise at the snapshot's own cursor.
 */
export function openView(
  snapshot: Snapshot,
  activeEvents: readonly LogEvent[],
  caughtUp: boolean,
): { view: LiveView; tailFrom: "events" | "snapshot" } {
  const rows = { ...mergeRows(emptyView(snapshot.sessionId), snapshot), ...planOf(snapshot.messages) };
  const seen = activeEvents.filter((event) => event.sequence <= snapshot.sequence);
  const complete = caughtUp || seen.length < activeEvents.length || activeEvents.at(-1)?.sequence === snapshot.sequence;
  const folded = foldEvents(rows, seen);
  const sequence = complete ? snapshot.sequence : (seen.at(-1)?.sequence ?? snapshot.sequence);
  const view = { ...folded, sequence, status: complete ? snapshot.status : folded.status };
  return { view, tailFrom: complete ? "snapshot" : "events" };
}

/** The tool by which LangChain's agents write their plan: the whole list, each time. */
const planTool = "write_todos";

/** The plan that the rows tell; the log tells every later one. */
function planOf(rows: readonly MessageRow[]): Pick<LiveView, "todos" | "todosRunId"> {
  for (const { toolRequests, runId } of rows.toSorted((a, b) => b.seq - a.seq)) {
    const request = toolRequests.findLast(({ name }) => name === planTool);
    const todos = readPlan(request?.args ?? null);
    if (todos !== null) return { todos, todosRunId: runId };
  }
  return { todos: [], todosRunId: null };
}

/** Puts rows into a view that may already hold some: a row is the last word on its message, and adds to its run. */
export function mergeRows(
  view: LiveView,
  rows: Partial<Pick<Snapshot, "status" | "messages" | "runs" | "interrupts">>,
): LiveView {
  const draft = draftOf(view);
  for (const row of rows.messages ?? [])
    draft.set("messages", row.messageId, messageOf(row, view.messages.get(row.messageId)));
  for (const run of rows.runs ?? []) draft.set("runs", run.runId, runOf(run, view.runs.get(run.runId)));
  for (const row of rows.interrupts ?? [])
    draft.set("interrupts", row.id, interruptOf(row, view.interrupts.get(row.id)));
  if (rows.interrupts !== undefined) dropProvisional(draft, rows.interrupts);
  const { set: _set, ...next } = draft;
  return { ...next, interrupts: new Map(draft.interrupts), status: rows.status ?? view.status };
}

const messageOf = (row: MessageRow, known: MessageView | undefined): MessageView => ({
  ...row,
  state: "complete",
  sequence: known?.sequence ?? 0,
  at: known?.at ?? row.at,
  finishReason: known?.finishReason ?? null,
  gap: false,
});

function runOf(row: RunView, known: RunView | undefined): RunView {
  if (known === undefined) return row;
  const behind = row.status !== known.status && canRunBecome(row.status, known.status);
  return {
    ...row,
    sequence: known.sequence || row.sequence,
    ...(behind ? { status: known.status, finishedAt: known.finishedAt, error: known.error } : {}),
  };
}

const interruptOf = (row: InterruptView, known: InterruptView | undefined): InterruptView =>
  row.decision === null && known !== undefined && known.decision !== null
    ? { ...row, decision: known.decision, decidedBy: known.decidedBy, decidedAt: known.decidedAt }
    : { ...row, expired: row.expired || (known?.expired ?? false) };

/** Once a run's interrupts are known as rows, what the log said of them is said better. */
function dropProvisional(draft: LiveView, rows: readonly InterruptView[]): void {
  const runs = new Set(rows.map((row) => row.runId));
  const kept = [...draft.interrupts].filter(([, i]) => !(i.provisional && i.runId !== null && runs.has(i.runId)));
  Object.assign(draft, { interrupts: new Map(kept) });
}

/** Puts step rows into a view. A step that the log has already ended stays ended. */
export function mergeSteps(view: LiveView, rows: readonly StepView[]): LiveView {
  const steps = new Map(view.steps);
  for (const row of rows) {
    const known = steps.get(row.stepId);
    if (known !== undefined && known.status !== "RUNNING" && row.status === "RUNNING") continue;
    steps.set(row.stepId, row);
  }
  return { ...view, steps };
}
