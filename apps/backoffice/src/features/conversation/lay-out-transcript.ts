import { isActiveRun } from "@wheelhouse/domain";
import type { InterruptView, LiveView, MessageView, RunView, ToolRequest, ToolView } from "../run/live-view.ts";

/** A call of a tool with everything that is known of it, from the message that asked, the log and the answer. */
export interface ToolCall {
  id: string;
  name: string;
  /** `waiting`: the run stopped to ask a human; `unanswered`: the run ended and no answer is known. */
  state: ToolView["state"] | "waiting" | "unanswered";
  args: unknown;
  argumentNames: readonly string[];
  result: string | null;
  error: string | null;
  startedAt: string | null;
  durationMs: number | null;
  outputBytes: number | null;
}

/** One row of the transcript, top to bottom. Keys are stable while the row lives. */
export type TranscriptRow =
  | { kind: "run"; key: string; run: RunView; continued: boolean }
  | { kind: "message"; key: string; message: MessageView }
  | { kind: "tool"; key: string; call: ToolCall }
  | { kind: "interrupt"; key: string; interrupts: readonly InterruptView[]; run: RunView | null }
  | { kind: "failure"; key: string; run: RunView }
  | { kind: "activity"; key: string; run: RunView; doing: string | null };

interface Section {
  runId: string | null;
  run: RunView | null;
  /** ISO time that orders it. */
  at: string;
  order: number;
  messages: MessageView[];
  tools: ToolView[];
  interrupts: InterruptView[];
}

/** The rows of a conversation: runs as sections in the order in which they were asked for. */
export function layOutTranscript(view: LiveView): TranscriptRow[] {
  const calls = callsOf(view);
  return sectionsOf(view).flatMap((section) => rowsOf(section, calls));
}

/** What answers to what, over all runs: a call that waited for a human is answered in a later run than it was made in. */
interface Calls {
  requested: ReadonlySet<string>;
  results: ReadonlyMap<string, MessageView>;
  logged: ReadonlyMap<string, ToolView>;
}

function callsOf(view: LiveView): Calls {
  const requested = new Set<string>();
  const results = new Map<string, MessageView>();
  for (const message of view.messages.values()) {
    if (message.state === "discarded") continue;
    for (const request of message.toolRequests) requested.add(request.id);
    if (message.role === "TOOL" && message.toolCallId !== null) results.set(message.toolCallId, message);
  }
  return { requested, results, logged: view.tools };
}

function sectionsOf(view: LiveView): Section[] {
  const byRun = new Map<string, Section>();
  const sections: Section[] = [];
  const sectionOf = (runId: string | null, at: string): Section => {
    const known = runId === null ? undefined : byRun.get(runId);
    if (known !== undefined) return known;
    const run = runId === null ? null : (view.runs.get(runId) ?? null);
    const section: Section = {
      runId,
      run,
      at: run?.queuedAt ?? at,
      order: sections.length,
      messages: [],
      tools: [],
      interrupts: [],
    };
    if (runId !== null) byRun.set(runId, section);
    sections.push(section);
    return section;
  };
  const messages = [...view.messages.values()].filter((message) => message.state !== "discarded").sort(byPlace);
  for (const message of messages) sectionOf(message.runId, message.at).messages.push(message);
  for (const tool of view.tools.values()) sectionOf(tool.runId, tool.startedAt ?? "").tools.push(tool);
  for (const interrupt of view.interrupts.values())
    sectionOf(interrupt.runId, interrupt.requestedAt).interrupts.push(interrupt);
  // A finished run older than the oldest loaded message would float above nothing: it comes with its messages.
  const oldest = messages.reduce<string | null>((at, m) => (at === null || m.at < at ? m.at : at), null);
  for (const run of view.runs.values())
    if (oldest === null || run.finishedAt === null || run.queuedAt >= oldest) sectionOf(run.runId, run.queuedAt);
  return sections.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.order - b.order));
}

/** Messages with a row by their place in the session; those that only the log knows come behind, as they began. */
function byPlace(a: MessageView, b: MessageView): number {
  if (a.seq !== null && b.seq !== null) return a.seq - b.seq;
  if (a.seq !== null) return -1;
  if (b.seq !== null) return 1;
  return a.sequence - b.sequence;
}

function rowsOf(section: Section, calls: Calls): TranscriptRow[] {
  const { run, messages } = section;
  const asked = messages.filter((message) => message.role === "USER");
  const answered = messages.filter((message) => message.role !== "USER");
  const rows: TranscriptRow[] = asked.map(messageRow);
  if (run !== null) rows.push({ kind: "run", key: `run-${run.runId}`, run, continued: asked.length === 0 });
  rows.push(...answerRows(section, answered, calls));
  if (section.interrupts.length > 0)
    rows.push({ kind: "interrupt", key: `interrupt-${section.runId}`, interrupts: section.interrupts, run });
  if (run !== null) rows.push(...endRows(run, section));
  return rows;
}

const messageRow = (message: MessageView): TranscriptRow => ({
  kind: "message",
  key: `message-${message.messageId}`,
  message,
});

function answerRows(section: Section, answered: readonly MessageView[], calls: Calls): TranscriptRow[] {
  const rows: TranscriptRow[] = [];
  const push = (id: string, request: ToolRequest | null, result = calls.results.get(id)) =>
    rows.push({
      kind: "tool",
      key: `tool-${id}`,
      call: toolCall(id, request, calls.logged.get(id), result, section.run),
    });
  // Calls that the log tells and no message asked for yet, where they happened.
  const loose = section.tools
    .filter((tool) => !calls.requested.has(tool.toolCallId))
    .sort((a, b) => a.sequence - b.sequence);
  for (const message of answered) {
    while (loose[0] !== undefined && message.sequence > 0 && loose[0].sequence < message.sequence)
      push(loose.shift()?.toolCallId ?? "", null);
    if (message.role === "TOOL") {
      const id = message.toolCallId ?? message.messageId;
      if (!calls.requested.has(id) && !calls.logged.has(id)) push(id, null, message);
      continue;
    }
    const writing = message.toolRequests.length === 0 && message.state === "streaming";
    if (message.text !== "" || writing) rows.push(messageRow(message));
    for (const request of message.toolRequests) push(request.id, request);
  }
  for (const tool of loose) push(tool.toolCallId, null);
  return rows;
}

function toolCall(
  id: string,
  request: ToolRequest | null,
  logged: ToolView | undefined,
  result: MessageView | undefined,
  run: RunView | null,
): ToolCall {
  return {
    id,
    name: request?.name ?? logged?.name ?? "tool",
    state: stateOf(logged, result, run),
    args: request?.args ?? logged?.arguments,
    argumentNames: logged?.argumentNames ?? [],
    result: result?.text ?? null,
    error: logged?.error ?? null,
    startedAt: logged?.startedAt ?? null,
    durationMs: logged?.durationMs ?? null,
    outputBytes: logged?.outputBytes ?? (result === undefined ? null : new TextEncoder().encode(result.text).length),
  };
}

function stateOf(
  logged: ToolView | undefined,
  result: MessageView | undefined,
  run: RunView | null,
): ToolCall["state"] {
  if (logged?.state === "failed") return "failed";
  if (logged?.state === "completed" || result !== undefined) return "completed";
  if (run === null || isActiveRun(run.status)) return "running";
  return run.status === "INTERRUPTED" ? "waiting" : "unanswered";
}

function endRows(run: RunView, section: Section): TranscriptRow[] {
  if (run.status === "FAILED") return [{ kind: "failure", key: `failure-${run.runId}`, run }];
  if (!isActiveRun(run.status)) return [];
  const tool = section.tools.findLast((t) => t.state === "running");
  const writing = section.messages.some((m) => m.state === "streaming" && m.text !== "");
  if (writing && tool === undefined) return [];
  return [{ kind: "activity", key: `activity-${run.runId}`, run, doing: tool?.name ?? null }];
}
