import { describe, expect, it } from "vitest";
import { emptyView, foldEvents } from "../run/fold-events.ts";
import type { LogEvent, MessageRow, RunView } from "../run/live-view.ts";
import { mergeRows } from "../run/snapshot.ts";
import { layOutTranscript, type TranscriptRow } from "./lay-out-transcript.ts";

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

const row = (id: string, seq: number, more: Partial<MessageRow> = {}): MessageRow => ({
  messageId: id,
  role: "ASSISTANT",
  text: id,
  runId: "r1",
  seq,
  at: at(seq),
  toolRequests: [],
  toolCallId: null,
  model: null,
  tokenCount: null,
  ...more,
});

const run = (runId: string, second: number, status: RunView["status"] = "SUCCEEDED"): RunView => ({
  runId,
  taskId: null,
  status,
  attempt: 1,
  recoveries: 0,
  sequence: 0,
  queuedAt: at(second),
  startedAt: at(second),
  firstEventAt: null,
  finishedAt: status === "RUNNING" || status === "QUEUED" ? null : at(second + 1),
  error: null,
  usage: null,
});

const event = (sequence: number, type: string, payload: Record<string, unknown>, runId = "r1"): LogEvent => ({
  sequence,
  type,
  visibility: "END_USER",
  at: at(sequence),
  runId,
  taskId: null,
  payload,
});

const shape = (rows: readonly TranscriptRow[]) =>
  rows.map((r) =>
    r.kind === "message"
      ? `${r.message.role}:${r.message.text}`
      : r.kind === "tool"
        ? `tool:${r.call.name}:${r.call.state}`
        : r.kind,
  );

const question = row("q", 1, { role: "USER" });
const asks = row("", 2, { messageId: "asks", toolRequests: [{ id: "t1", name: "search", args: { q: "lease" } }] });
const answer = row("found", 3, { role: "TOOL", toolCallId: "t1", text: "30 s" });

describe("layOutTranscript", () => {
  it("shows a run as a section: question, run, tool with its answer, text", () => {
    const view = mergeRows(emptyView("s"), {
      messages: [question, asks, answer, row("It is 30 s.", 4)],
      runs: [run("r1", 1)],
    });
    const rows = layOutTranscript(view);
    expect(shape(rows)).toEqual(["USER:q", "run", "tool:search:completed", "ASSISTANT:It is 30 s."]);
    expect(rows[2]).toMatchObject({ call: { args: { q: "lease" }, result: "30 s" } });
  });

  it("gives a live run the same rows that its database rows give afterwards", () => {
    const live = foldEvents(emptyView("s"), [
      event(1, "message.user", { messageId: "q", role: "USER", text: "q" }),
      event(2, "run.queued", { attempt: 1 }),
      event(3, "run.started", { attempt: 1 }),
      event(4, "tool.started", { toolCallId: "t1", name: "search", argumentNames: ["q"] }),
    ]);
    expect(shape(layOutTranscript(live))).toEqual(["USER:q", "run", "tool:search:running", "activity"]);
    const ended = foldEvents(live, [
      event(5, "tool.completed", { toolCallId: "t1", name: "search", durationMs: 9, outputBytes: 4 }),
      event(6, "message.started", { messageId: "a", role: "ASSISTANT" }),
      event(7, "message.delta", { messageId: "a", role: "ASSISTANT", text: "It is 30 s.", index: 0 }),
      event(8, "message.completed", { messageId: "a", role: "ASSISTANT", length: 11 }),
      event(9, "run.succeeded", { attempt: 1 }),
    ]);
    const known = mergeRows(ended, { messages: [question, asks, answer, row("It is 30 s.", 4, { messageId: "a" })] });
    expect(shape(layOutTranscript(ended))).toEqual(["USER:q", "run", "tool:search:completed", "ASSISTANT:It is 30 s."]);
    expect(shape(layOutTranscript(known))).toEqual(shape(layOutTranscript(ended)));
    expect(layOutTranscript(known).map((r) => r.key)).toEqual(layOutTranscript(ended).map((r) => r.key));
  });

  it("keeps a queued question behind the answer that is being written", () => {
    const view = mergeRows(emptyView("s"), {
      messages: [question, row("q2", 2, { role: "USER", runId: "r2" }), row("late answer", 3)],
      runs: [run("r1", 1), run("r2", 2, "QUEUED")],
    });
    expect(shape(layOutTranscript(view))).toEqual([
      "USER:q",
      "run",
      "ASSISTANT:late answer",
      "USER:q2",
      "run",
      "activity",
    ]);
  });

  it("says that a run failed, and why it continued", () => {
    const view = mergeRows(emptyView("s"), {
      messages: [question],
      runs: [run("r1", 1, "INTERRUPTED"), { ...run("r2", 5, "FAILED"), attempt: 2 }],
    });
    const rows = layOutTranscript(view);
    expect(shape(rows)).toEqual(["USER:q", "run", "run", "failure"]);
    expect(rows[2]).toMatchObject({ continued: true });
  });

  it("joins a call that waited for a human with the answer that a later run gave", () => {
    const view = mergeRows(emptyView("s"), { messages: [question, asks], runs: [run("r1", 1, "INTERRUPTED")] });
    expect(shape(layOutTranscript(view))).toEqual(["USER:q", "run", "tool:search:waiting"]);
    const later = mergeRows(view, {
      messages: [{ ...answer, runId: "r2" }, row("Done.", 4, { runId: "r2" })],
      runs: [{ ...run("r2", 9), attempt: 2 }],
    });
    expect(shape(layOutTranscript(later))).toEqual([
      "USER:q",
      "run",
      "tool:search:completed",
      "run",
      "ASSISTANT:Done.",
    ]);
  });

  it("leaves out finished runs that are older than what is loaded", () => {
    const view = mergeRows(emptyView("s"), { messages: [row("new", 50)], runs: [run("r0", 1), run("r1", 50)] });
    expect(shape(layOutTranscript(view))).toEqual(["run", "ASSISTANT:new"]);
  });

  it("shows a stray tool answer as a call and no discarded message", () => {
    const view = foldEvents(
      mergeRows(emptyView("s"), {
        messages: [question, row("x", 2, { role: "TOOL", toolCallId: "gone" })],
        runs: [run("r1", 1)],
      }),
      [
        event(1, "message.started", { messageId: "d", role: "ASSISTANT" }),
        event(2, "message.discarded", { messageId: "d", role: "ASSISTANT" }),
      ],
    );
    expect(shape(layOutTranscript(view))).toEqual(["USER:q", "run", "tool:tool:completed"]);
  });
});
