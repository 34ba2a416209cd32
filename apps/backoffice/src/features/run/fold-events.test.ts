import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emptyView, foldEvents } from "./fold-events.ts";
import type { LiveView, LogEvent, MessageRow, RunView, Snapshot } from "./live-view.ts";
import { mergeRows, openView } from "./snapshot.ts";

const sessionId = "s1";

/** Numbers bare events into a log. */
const logOf = (events: { type: string; runId?: string; payload: Record<string, unknown> }[]): LogEvent[] =>
  events.map(({ type, runId = "r1", payload }, i) => ({
    sequence: i + 1,
    type,
    visibility: "END_USER",
    at: new Date(Date.UTC(2026, 0, 1, 0, 0, i)).toISOString(),
    runId,
    taskId: `task-of-${runId}`,
    payload,
  }));

const turn = (run: string, question: string, answer: string[], tool = true) => {
  let offset = 0;
  return [
    { type: "message.user", runId: run, payload: { messageId: `${run}-q`, role: "USER", text: question } },
    { type: "run.queued", runId: run, payload: { attempt: 1 } },
    { type: "run.started", runId: run, payload: { attempt: 1, generation: 1 } },
    { type: "step.started", runId: run, payload: { stepId: `${run}-s`, name: "agent", kind: "NODE", seq: 1 } },
    ...(tool
      ? [
          {
            type: "tool.started",
            runId: run,
            payload: { toolCallId: `${run}-t`, name: "search", argumentNames: ["q"] },
          },
          {
            type: "tool.completed",
            runId: run,
            payload: { toolCallId: `${run}-t`, name: "search", durationMs: 12, outputBytes: 9 },
          },
        ]
      : []),
    { type: "message.started", runId: run, payload: { messageId: `${run}-a`, role: "ASSISTANT" } },
    ...answer.map((text) => {
      const index = offset;
      offset += text.length;
      return { type: "message.delta", runId: run, payload: { messageId: `${run}-a`, role: "ASSISTANT", text, index } };
    }),
    { type: "message.completed", runId: run, payload: { messageId: `${run}-a`, role: "ASSISTANT", length: offset } },
    {
      type: "step.completed",
      runId: run,
      payload: { stepId: `${run}-s`, name: "agent", kind: "NODE", seq: 1, durationMs: 40 },
    },
    { type: "run.succeeded", runId: run, payload: { attempt: 1 } },
  ];
};

/** What a reader sees, without bookkeeping. */
const seen = (view: LiveView) => ({
  status: view.status,
  messages: [...view.messages.values()].map((m) => [m.messageId, m.role, m.text, m.state, m.runId]),
  runs: [...view.runs.values()].map((r) => [r.runId, r.status]),
});

const conversation = logOf([
  ...turn("r1", "Where is the lease?", ["In ", "`tunables.ts`", ", 30 s. 🎡"]),
  ...turn("r2", "شكراً", ["على", " الرحب"], false),
]);

/** The rows as the database would answer them when the log ended at `sequence`. */
function snapshotAt(log: readonly LogEvent[], sequence: number): Snapshot {
  const view = foldEvents(
    emptyView(sessionId),
    log.filter((e) => e.sequence <= sequence),
  );
  const messages = [...view.messages.values()]
    .filter((m) => m.state === "complete")
    .map((m, i): MessageRow => ({ ...m, seq: i + 1 }));
  return { sessionId, status: view.status, sequence, messages, runs: [...view.runs.values()], interrupts: [] };
}

const activeRun = (snapshot: Snapshot): RunView | undefined =>
  snapshot.runs.find((run) => run.status === "QUEUED" || run.status === "RUNNING");

describe("foldEvents", () => {
  it("makes transcript, tools, runs and steps of a log", () => {
    const view = foldEvents(emptyView(sessionId), conversation);
    expect(seen(view)).toEqual({
      status: "IDLE",
      messages: [
        ["r1-q", "USER", "Where is the lease?", "complete", "r1"],
        ["r1-a", "ASSISTANT", "In `tunables.ts`, 30 s. 🎡", "complete", "r1"],
        ["r2-q", "USER", "شكراً", "complete", "r2"],
        ["r2-a", "ASSISTANT", "على الرحب", "complete", "r2"],
      ],
      runs: [
        ["r1", "SUCCEEDED"],
        ["r2", "SUCCEEDED"],
      ],
    });
    expect(view.tools.get("r1-t")).toMatchObject({ state: "completed", durationMs: 12, outputBytes: 9 });
    expect(view.steps.get("r1-s")).toMatchObject({ status: "COMPLETED", durationMs: 40 });
  });

  it("gives the same view however the log is cut into pages, and however often pages come", () => {
    const whole = foldEvents(emptyView(sessionId), conversation);
    const cut = fc.array(fc.tuple(fc.nat(conversation.length), fc.nat(12)), { maxLength: 30 });
    fc.assert(
      fc.property(cut, (replays) => {
        let view = emptyView(sessionId);
        for (const [start, length] of replays) {
          // A reconnecting reader is sent what it has again, but never skips ahead of it.
          const from = Math.min(start, view.sequence);
          view = foldEvents(view, conversation.slice(from, from + length));
        }
        view = foldEvents(view, conversation.slice(view.sequence));
        expect(view).toEqual(whole);
        expect(foldEvents(view, conversation)).toBe(view);
      }),
    );
  });

  it("joins the rows of any moment and the log behind it without a seam", () => {
    const whole = seen(foldEvents(emptyView(sessionId), conversation));
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: conversation.length }),
        fc.integer({ min: 1, max: 40 }),
        fc.nat(5),
        (at, page, late) => {
          const snapshot = snapshotAt(conversation, at);
          const active = activeRun(snapshot);
          // The active run's log may be read later than the rows, and only its first page is.
          const ofRun = conversation.filter((e) => e.runId === active?.runId && e.sequence <= at + late);
          const first = active === undefined ? [] : ofRun.slice(0, page);
          const { view, tailFrom } = openView(snapshot, first, active === undefined || ofRun.length <= page);
          const cursor = tailFrom === "snapshot" ? at : (first.at(-1)?.sequence ?? at);
          expect(view.sequence).toBe(cursor);
          expect(seen(foldEvents(view, conversation.slice(cursor)))).toEqual(whole);
        },
      ),
    );
  });

  it("keeps a row's text when older pieces of it are replayed", () => {
    const rows = mergeRows(emptyView(sessionId), snapshotAt(conversation, conversation.length));
    expect(seen(foldEvents(rows, conversation)).messages).toEqual(seen(rows).messages);
  });

  it("marks an answer whose beginning it did not see, until its row arrives", () => {
    const late = conversation.filter((e) => e.sequence > 8);
    const view = foldEvents({ ...emptyView(sessionId), sequence: 8 }, late.slice(0, 1));
    expect(view.messages.get("r1-a")).toMatchObject({ text: "", gap: true });
    expect(view.stale.messages).toBe(9);
    const [row] = snapshotAt(conversation, conversation.length).messages.filter((m) => m.messageId === "r1-a");
    if (row === undefined) throw new Error("the answer has a row");
    expect(mergeRows(view, { messages: [row] }).messages.get("r1-a")).toMatchObject({ gap: false, text: row.text });
  });

  it("ends what a run leaves open", () => {
    const cancelled = logOf([
      ...turn("r1", "go", ["half"]).slice(0, 5),
      { type: "message.started", payload: { messageId: "m", role: "ASSISTANT" } },
      { type: "message.delta", payload: { messageId: "m", role: "ASSISTANT", text: "half", index: 0 } },
      { type: "run.cancelled", payload: { attempt: 1 } },
    ]);
    const view = foldEvents(emptyView(sessionId), cancelled);
    expect(view.messages.get("m")).toMatchObject({ state: "complete", text: "half" });
    expect(view.tools.get("r1-t")?.state).toBe("failed");
    expect(view.steps.get("r1-s")?.status).toBe("CANCELLED");
    expect(view.status).toBe("IDLE");
  });

  it("drops what a recovery discards and keeps types it does not know", () => {
    const log = logOf([
      { type: "message.started", payload: { messageId: "m", role: "ASSISTANT" } },
      { type: "message.discarded", payload: { messageId: "m", role: "ASSISTANT", reason: "recovered" } },
      { type: "galaxy.collided", payload: { with: "andromeda" } },
    ]);
    const view = foldEvents(emptyView(sessionId), log);
    expect(view.messages.get("m")?.state).toBe("discarded");
    expect(view.sequence).toBe(3);
  });

  it("shows the last plan that the rows tell, until the log tells a later one", () => {
    const snapshot = snapshotAt(conversation, conversation.length);
    const planned = (todos: unknown) => [{ id: "c", name: "write_todos", args: { todos } }];
    const plans = [planned([{ content: "Read", status: "completed" }]), planned(["Write"]), planned("nothing")];
    const messages = snapshot.messages.map((row, i) => ({ ...row, toolRequests: plans[i] ?? [] }));
    const { view } = openView({ ...snapshot, messages }, [], true);
    expect(view.todos).toEqual([{ content: "Write", state: "pending" }]);
    const [told] = logOf([{ type: "plan.updated", payload: { todos: ["Rest"] } }]);
    if (told === undefined) throw new Error("one event was asked for");
    const later = foldEvents(view, [{ ...told, sequence: view.sequence + 1 }]);
    expect(later.todos).toEqual([{ content: "Rest", state: "pending" }]);
  });

  it("never lets an old event take a newer state back", () => {
    const failed: RunView = { ...run("r1"), status: "FAILED", error: { code: "MODEL_ERROR", message: "refused" } };
    const rows = mergeRows(emptyView(sessionId), { runs: [failed] });
    const view = foldEvents(rows, conversation.slice(0, 3));
    expect(view.runs.get("r1")).toMatchObject({ status: "FAILED", error: { code: "MODEL_ERROR" } });
  });

  it("folds interrupts, plans and failures", () => {
    const log = logOf([
      ...turn("r1", "go", [""], false).slice(0, 3),
      {
        type: "plan.updated",
        payload: { todos: [{ content: "Read", status: "completed" }, { content: "Write", status: "in_progress" }, 7] },
      },
      {
        type: "interrupt.requested",
        payload: {
          interruptId: "i",
          kind: "TOOL_APPROVAL",
          actions: ["refund"],
          allowedDecisions: ["APPROVE", "REJECT"],
        },
      },
      { type: "run.interrupted", payload: { attempt: 1 } },
      { type: "interrupt.decided", payload: { interruptId: "i", decision: "APPROVE", by: "Ada" } },
      { type: "interrupt.decided", payload: { interruptId: "i", decision: "REJECT", by: "Bob" } },
      { type: "run.queued", runId: "r2", payload: { attempt: 2 } },
      { type: "run.failed", runId: "r2", payload: { attempt: 2, code: "TOOL_ERROR", reason: "no such order" } },
    ]);
    const asked = foldEvents(emptyView(sessionId), log.slice(0, 6));
    expect(asked.status).toBe("WAITING");
    expect(asked.todos).toEqual([
      { content: "Read", state: "done" },
      { content: "Write", state: "active" },
    ]);
    const view = foldEvents(asked, log);
    expect(view.interrupts.get("i")).toMatchObject({ decision: "APPROVE", decidedBy: "Ada" });
    expect(view.runs.get("r2")).toMatchObject({ attempt: 2, error: { code: "TOOL_ERROR", message: "no such order" } });
    expect(view.status).toBe("ERROR");
  });
});

const run = (runId: string): RunView => ({
  runId,
  taskId: null,
  status: "QUEUED",
  attempt: 1,
  recoveries: 0,
  sequence: 0,
  queuedAt: "2026-01-01T00:00:00.000Z",
  startedAt: null,
  firstEventAt: null,
  finishedAt: null,
  error: null,
  usage: null,
});
