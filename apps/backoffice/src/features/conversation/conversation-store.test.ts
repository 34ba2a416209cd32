import { eventCursor } from "@wheelhouse/domain";
import { afterEach, describe, expect, it, vi } from "vitest";
import { nameOfDocument } from "../../data/document-name.ts";
import { createConversationStore } from "./conversation-store.ts";

const usage = {
  promptTokens: 1,
  completionTokens: 1,
  totalTokens: 2,
  cachedPromptTokens: null,
  reasoningTokens: null,
  modelCalls: 1,
  status: "COMPLETE",
};
const run = (id: string, status: string) => ({
  id: `Run_${id}`,
  status,
  attempt: 1,
  recoveries: 0,
  queuedAt: "2026-01-01T00:00:00.000Z",
  startedAt: "2026-01-01T00:00:00.100Z",
  firstEventAt: null,
  finishedAt: status === "RUNNING" ? null : "2026-01-01T00:00:01.000Z",
  task: { id: `Task_${id}` },
  error: null,
  usage,
});
const message = (id: string, seq: number, role: string, content: string) => ({
  id: `Message_${id}`,
  role,
  content,
  toolCalls: null,
  toolCallId: null,
  model: null,
  tokenCount: null,
  seq,
  createdAt: "2026-01-01T00:00:00.000Z",
  runId: "Run_r1",
  run: run("r1", "RUNNING"),
});
const event = (sequence: number, type: string, payload: object) => ({
  id: `Event_${sequence}`,
  sequence,
  type,
  visibility: "END_USER",
  at: "2026-01-01T00:00:00.500Z",
  sessionId: "Session_s",
  runId: "Run_r1",
  taskId: "Task_r1",
  payload,
});
const delta = (sequence: number, text: string, index: number) =>
  event(sequence, "message.delta", { messageId: "a", role: "ASSISTANT", text, index });

const log = [
  event(1, "message.user", { messageId: "q", role: "USER", text: "Hi" }),
  event(2, "run.started", { attempt: 1 }),
  event(3, "message.started", { messageId: "a", role: "ASSISTANT" }),
  delta(4, "Hel", 0),
  delta(5, "lo ", 3),
  delta(6, "there", 6),
  event(7, "message.completed", { messageId: "a", role: "ASSISTANT", length: 11 }),
  event(8, "run.succeeded", { attempt: 1 }),
];

/** The session as a query answers it while the run is half way, with the first `logged` of its run's events. */
const halfWay = (logged: number) => ({
  id: "Session_s",
  title: null,
  status: "BUSY",
  lastSequence: 5,
  eventCursor: eventCursor("s", 5),
  messages: {
    nodes: [message("q", 1, "USER", "Hi")],
    pageInfo: { startCursor: "c", hasPreviousPage: true },
  },
  runs: { nodes: [run("r1", "RUNNING")] },
  interrupts: [],
  activeRun: {
    ...run("r1", "RUNNING"),
    events: {
      events: log.slice(0, logged),
      endCursor: eventCursor("s", logged),
      caughtUp: logged >= 5,
    },
  },
});

const finished = {
  id: "Session_s",
  title: "Named",
  status: "IDLE",
  messages: { nodes: [message("q", 1, "USER", "Hi"), message("a", 2, "ASSISTANT", "Hello there")] },
  runs: { nodes: [run("r1", "SUCCEEDED")] },
  interrupts: [],
};

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function world(answers: Record<string, unknown>) {
  const after: unknown[] = [];
  const client = { request: vi.fn(), watch: vi.fn() };
  client.request.mockImplementation(async (document) => ({ session: answers[nameOfDocument(document)] }));
  // Sends everything from the beginning again, as a server may after a lost connection.
  client.watch.mockImplementation(async function* (_document, variables) {
    after.push(variables.after);
    yield { events: log, endCursor: eventCursor("s", 8), caughtUp: true, terminal: false };
  });
  const store = createConversationStore(client, "Session_s");
  closers.push(store.close);
  const texts = () => [...store.getState().view.messages.values()].map((m) => [m.text, m.state]);
  return { client, store, after, texts };
}

describe("createConversationStore", () => {
  it.each([
    ["all of the active run's log", 5, 5],
    ["a part of it", 3, 3],
    ["more than the rows knew", 7, 5],
  ])("goes on from rows and %s without a seam", async (_name, logged, cursor) => {
    const { store, after, texts } = world({ Conversation: halfWay(logged), ConversationRefresh: finished });
    store.open();
    await vi.waitFor(() => expect(store.getState().view.sequence).toBe(8));
    expect(after).toEqual([eventCursor("s", cursor)]);
    expect(texts()).toEqual([
      ["Hi", "complete"],
      ["Hello there", "complete"],
    ]);
    expect(store.getState().view.status).toBe("IDLE");
  });

  it("reads rows again when the log says that they know more", async () => {
    const { store } = world({ Conversation: halfWay(5), ConversationRefresh: finished });
    store.open();
    await vi.waitFor(() => expect(store.getState().session?.title).toBe("Named"));
    expect([...store.getState().view.messages.values()].map((m) => m.seq)).toEqual([1, 2]);
    expect(store.getState().view.runs.get("r1")).toMatchObject({ status: "SUCCEEDED", usage: { totalTokens: 2 } });
  });

  it("puts earlier messages before what is there", async () => {
    const earlier = {
      id: "Session_s",
      messages: {
        nodes: [message("old", 0, "USER", "Before")],
        pageInfo: { startCursor: null, hasPreviousPage: false },
      },
    };
    const { store, texts } = world({
      Conversation: halfWay(5),
      ConversationRefresh: finished,
      EarlierMessages: earlier,
    });
    store.open();
    await vi.waitFor(() => expect(store.getState().phase).toBe("ready"));
    expect(await store.loadEarlier()).toBe(false);
    expect(texts()).toContainEqual(["Before", "complete"]);
    expect(await store.loadEarlier()).toBe(false);
  });

  it("says when there is no such conversation, and when it cannot be read", async () => {
    const missing = world({ Conversation: null });
    missing.store.open();
    await vi.waitFor(() => expect(missing.store.getState().phase).toBe("missing"));
    const failing = world({});
    failing.client.request.mockRejectedValue(new Error("down"));
    failing.store.open();
    await vi.waitFor(() =>
      expect(failing.store.getState()).toMatchObject({ phase: "failed", error: new Error("down") }),
    );
  });
});
