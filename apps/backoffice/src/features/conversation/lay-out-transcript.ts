import { isActiveRun } from "@wheelhouse/domain";
import type { InterruptView, LiveView, MessageView, RunView, ToolRequest, ToolView } from "../run/live-view.ts";

/** A call of a tool with everything that is known of it, from the message that asked, the log and the answer. */
export interface ToolCall {
  id: string;
  name: string;
  state: ToolView["state"];
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
  return sectionsOf(view).flatMap(rowsOf);
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

function rowsOf(section: Section): TranscriptRow[] {
  const { run, messages } = section;
  const asked = messages.filter((message) => message.role === "USER");
  const answered = messages.filter((message) => message.role !== "USER");
  const rows: TranscriptRow[] = asked.map(messageRow);
  if (run !== null) rows.push({ kind: "run", key: `run-${run.runId}`, run, continued: asked.length === 0 });
  rows.push(...answerRows(section, answered));
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

function answerRows(section: Section, answered: readonly MessageView[]): TranscriptRow[] {
  const results = new Map<string, MessageView>();
  for (const message of answered)
    if (message.role === "TOOL" && message.toolCallId !== null) results.set(message.toolCallId, message);
  const logged = new Map(section.tools.map((tool) => [tool.toolCallId, tool]));
  const requested = new Set(answered.flatMap((message) => message.toolRequests.map((request) => request.id)));
  const loose = section.tools.filter((tool) => !requested.has(tool.toolCallId)).sort((a, b) => a.sequence - b.sequence);
  const shown = new Set<string>();
  const rows: TranscriptRow[] = [];
  const over = section.run !== null && !isActiveRun(section.run.status);
  const push = (call: ToolCall) => {
    shown.add(call.id);
    rows.push({ kind: "tool", key: `tool-${call.id}`, call });
  };
  for (const message of answered) {
    while (loose[0] !== undefined && message.sequence > 0 && loose[0].sequence < message.sequence) {
      const tool = loose.shift();
      if (tool !== undefined) push(toolCall(tool.toolCallId, null, tool, results.get(tool.toolCallId), over));
    }
    if (message.role === "TOOL") {
      const id = message.toolCallId ?? message.messageId;
      if (requested.has(id) || logged.has(id) || shown.has(id)) continue;
      push(toolCall(id, null, undefined, message, over));
      continue;
    }
    if (message.text !== "" || (message.toolRequests.length === 0 && message.state === "streaming"))
      rows.push(messageRow(message));
    for (const request of message.toolRequests)
      push(toolCall(request.id, request, logged.get(request.id), results.get(request.id), over));
  }
  for (const tool of loose) push(toolCall(tool.toolCallId, null, tool, results.get(tool.toolCallId), over));
  return rows;
}

function toolCall(
  id: string,
  request: ToolRequest | null,
  logged: ToolView | undefined,
  result: MessageView | undefined,
  over: boolean,
): ToolCall {
  const running = logged?.state === "running" || (logged === undefined && result === undefined && !over);
  return {
    id,
    name: request?.name ?? logged?.name ?? "tool",
    state: logged?.state === "failed" ? "failed" : running && result === undefined ? "running" : "completed",
    args: request?.args ?? logged?.arguments,
    argumentNames: logged?.argumentNames ?? [],
    result: result?.text ?? null,
    error: logged?.error ?? null,
    startedAt: logged?.startedAt ?? null,
    durationMs: logged?.durationMs ?? null,
    outputBytes: logged?.outputBytes ?? (result === undefined ? null : new TextEncoder().encode(result.text).length),
  };
}

function endRows(run: RunView, section: Section): TranscriptRow[] {
  if (run.status === "FAILED") return [{ kind: "failure", key: `failure-${run.runId}`, run }];
  if (!isActiveRun(run.status)) return [];
  const tool = section.tools.findLast((t) => t.state === "running");
  const writing = section.messages.some((m) => m.state === "streaming" && m.text !== "");
  if (writing && tool === undefined) return [];
  return [{ kind: "activity", key: `activity-${run.runId}`, run, doing: tool?.name ?? null }];
}
