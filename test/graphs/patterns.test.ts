import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { echo, essayWorkflow, functionalChat, mapReduce, parallelWithSubgraph, reactAgent } from "./patterns.ts";
import { answer, manifestOf, requestOf, says, stepTree, testHost, trace } from "./run-in-host.ts";

const weatherTurns = [
  {
    content: "Let me see.",
    toolCalls: [
      { name: "get_weather", args: { city: "Tallinn" }, id: "call_weather" },
      { name: "multiply", args: { a: 6, b: 7 }, id: "call_multiply" },
    ],
  },
  { content: "It is sunny in Tallinn, and six times seven is 42." },
];

const host = testHost({
  codeAgents: {
    weather: { graph: reactAgent(weatherTurns) },
    jokes: { graph: parallelWithSubgraph() },
    questions: { graph: parallelWithSubgraph(true) },
    essay: { graph: essayWorkflow() },
    chat: { graph: functionalChat() },
    map: { graph: mapReduce },
    echo: { graph: async () => echo() },
  },
});
afterAll(() => host[Symbol.asyncDispose]());

describe("a ReAct agent with two tools", () => {
  it("is recorded as steps in executed order, a streamed text and a transcript", async () => {
    const messageId = randomUUID();
    const run = await trace(host, requestOf(manifestOf("weather"), says("What is the weather?", messageId)));
    expect(run.end).toMatchObject({
      status: "SUCCEEDED",
      output: { content: "It is sunny in Tallinn, and six times seven is 42." },
    });
    expect(stepTree(run.steps)).toEqual([
      "NODE agent",
      "  MODEL scripted",
      "NODE tools",
      "  TOOL get_weather",
      "  TOOL multiply",
      "NODE agent",
      "  MODEL scripted",
    ]);
    expect(run.steps.map((step) => step.seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(run.steps.every((step) => step.status === "COMPLETED" && step.finishedAt !== null)).toBe(true);
    expect(run.messages.map(({ role, content }) => [role, content])).toEqual([
      ["ASSISTANT", "Let me see."],
      ["TOOL", "It is always sunny in Tallinn."],
      ["TOOL", "42"],
      ["ASSISTANT", "It is sunny in Tallinn, and six times seven is 42."],
    ]);
    expect(run.messages.map((message) => message.langgraphMessageId)).not.toContain(messageId);
    expect(run.messages[0]?.toolCalls).toMatchObject([
      { name: "get_weather", args: { city: "Tallinn" } },
      { name: "multiply" },
    ]);
    expect(run.steps[3]).toMatchObject({ toolCallId: "call_weather", inputs: { city: "Tallinn" } });
  });

  it("tells the text in pieces whose offsets join without a gap", async () => {
    const run = await trace(host, requestOf(manifestOf("weather"), says("Again, please.")));
    const texts = new Map<string, string>();
    for (const event of run.events)
      if (event.type === "message.delta") {
        const text = texts.get(event.payload.messageId) ?? "";
        expect(event.payload.index).toBe(text.length);
        texts.set(event.payload.messageId, text + event.payload.text);
      }
    const told = run.messages.filter((message) => message.role === "ASSISTANT");
    expect([...texts]).toEqual(told.map((message) => [message.langgraphMessageId, message.content]));
    const kinds = run.events.map((event) => event.type);
    expect(kinds.filter((type) => type === "tool.started")).toHaveLength(2);
    expect(kinds.filter((type) => type === "tool.completed")).toHaveLength(2);
    expect(kinds.filter((type) => type === "message.completed")).toHaveLength(2);
  });

  it("shows end users names and never values", async () => {
    const run = await trace(host, requestOf(manifestOf("weather"), says("And now?")));
    const seen = run.events.filter((event) => event.visibility === "END_USER");
    expect(seen.some((event) => event.type.startsWith("step."))).toBe(false);
    const started = seen.find((event) => event.type === "tool.started");
    expect(started?.payload).toMatchObject({ name: "get_weather", argumentNames: ["city"] });
    expect(JSON.stringify(started?.payload)).not.toContain("Tallinn");
  });

  it("records the tokens of every model call", async () => {
    const run = await trace(host, requestOf(manifestOf("weather"), says("Count.")));
    expect(run.modelCalls).toHaveLength(2);
    for (const call of run.modelCalls) {
      expect(call).toMatchObject({ provider: "scripted", model: "scripted", status: "OK", attempt: 1 });
      expect(call.totalTokens).toBe((call.promptTokens ?? 0) + (call.completionTokens ?? 0));
      expect(call.timeToFirstTokenMs).not.toBeNull();
      expect(run.steps.find((step) => step.id === call.stepId)?.kind).toBe("MODEL");
    }
  });

  it("keeps the thread: the next run sees the messages of the last, and repeats none", async () => {
    const threadId = randomUUID();
    const first = await trace(host, requestOf(manifestOf("weather"), says("One", "m-1"), { threadId }));
    const second = await trace(
      host,
      requestOf(manifestOf("weather"), says("Two", "m-2"), { threadId, checkpointId: first.checkpointId }),
    );
    expect(second.messages.map((message) => message.langgraphMessageId)).not.toContain("m-1");
    const stored = await host.threadMessages(manifestOf("weather"), threadId, second.checkpointId ?? "");
    const ids = stored.map((message) => message.langgraphMessageId);
    expect(ids).toEqual([
      "m-1",
      ...first.messages.map((message) => message.langgraphMessageId),
      "m-2",
      ...second.messages.map((message) => message.langgraphMessageId),
    ]);
  });
});

describe("a graph with parallel branches, a subgraph and an interrupt", () => {
  it("waits in the subgraph, keeps the finished branch, and goes on with the answer", async () => {
    const threadId = randomUUID();
    const input = { kind: "input" as const, input: { topic: " cats " }, messageId: null };
    const run = await trace(host, requestOf(manifestOf("jokes"), input, { threadId }));
    expect(stepTree(run.steps).slice().sort()).toEqual(
      [
        "NODE plan",
        "NODE tell_joke",
        "  MODEL scripted",
        "NODE review",
        "  NODE draft",
        "    MODEL scripted",
        "  NODE ask",
      ].sort(),
    );
    expect(run.steps.map((step) => step.name)[0]).toBe("plan");
    expect(run.steps.find((step) => step.name === "ask")).toMatchObject({
      status: "CANCELLED",
      metadata: { interrupted: true },
    });
    if (run.end.status !== "INTERRUPTED") throw new Error(run.end.status);
    expect(run.end.interrupts).toHaveLength(1);
    const [question] = run.end.interrupts;
    if (question === undefined) throw new Error("no question");
    expect(question).toMatchObject({
      kind: "QUESTION",
      allowedDecisions: ["RESPOND"],
      actionRequests: [{ name: "question", args: { value: { question: "Is this poem good?" } } }],
    });

    const resumed = await trace(
      host,
      requestOf(
        manifestOf("jokes"),
        { kind: "resume", answers: [answer(question, "RESPOND", "yes")] },
        { threadId, attempt: 2, checkpointId: run.checkpointId },
      ),
    );
    expect(resumed.end).toMatchObject({
      status: "SUCCEEDED",
      output: {
        combined: "Here is a joke about cats for you.\nHere is a poem about cats for you.\nyes",
      },
    });
    expect(stepTree(resumed.steps)).toEqual(["NODE review", "  NODE ask", "NODE join"]);
  });

  it("asks two questions at once and takes each answer by its id", async () => {
    const threadId = randomUUID();
    const input = { kind: "input" as const, input: { topic: "dogs" }, messageId: null };
    const run = await trace(host, requestOf(manifestOf("questions"), input, { threadId }));
    if (run.end.status !== "INTERRUPTED") throw new Error(run.end.status);
    expect(run.end.interrupts).toHaveLength(2);
    const answers = run.end.interrupts.map((interrupt) =>
      answer(interrupt, "RESPOND", JSON.stringify(interrupt.actionRequests).includes("funny") ? "very" : "fine"),
    );
    const resumed = await trace(
      host,
      requestOf(
        manifestOf("questions"),
        { kind: "resume", answers: answers.reverse() },
        { threadId, checkpointId: run.checkpointId },
      ),
    );
    expect(resumed.end).toMatchObject({
      status: "SUCCEEDED",
      output: { joke: "Here is a joke about dogs for you. very", approved: "fine" },
    });
  });

  it("keeps streamed texts as messages when the graph has no messages of its own", async () => {
    const threadId = randomUUID();
    const input = { kind: "input" as const, input: { topic: "birds" }, messageId: null };
    const run = await trace(host, requestOf(manifestOf("jokes"), input, { threadId }));
    // The run waits: what no node kept as a message is taken back, since it is written again when the node runs again.
    const told = run.events.filter((event) => event.type === "message.started").length;
    const closed = run.events.filter(
      (event) => event.type === "message.completed" || event.type === "message.discarded",
    ).length;
    expect(closed).toBe(told);
  });
});

describe("the functional API", () => {
  it("records tasks as steps, waits in the entrypoint and continues with cached tasks", async () => {
    const threadId = randomUUID();
    const input = { kind: "input" as const, input: { topic: "boats" }, messageId: null };
    const run = await trace(host, requestOf(manifestOf("essay"), input, { threadId }));
    expect(stepTree(run.steps)).toEqual(["NODE essay", "NODE write_essay", "  MODEL scripted", "NODE count_words"]);
    if (run.end.status !== "INTERRUPTED") throw new Error(run.end.status);
    const answers = run.end.interrupts.map((interrupt) => answer(interrupt, "RESPOND", "approved"));
    const resumed = await trace(
      host,
      requestOf(manifestOf("essay"), { kind: "resume", answers }, { threadId, checkpointId: run.checkpointId }),
    );
    expect(resumed.end).toMatchObject({
      status: "SUCCEEDED",
      output: { essay: "An essay in a few words.", words: 6, approved: "approved" },
    });
    expect(stepTree(resumed.steps)).toEqual(["NODE essay"]);
  });

  it("remembers a chat's previous turn", async () => {
    const threadId = randomUUID();
    const one = await trace(host, requestOf(manifestOf("chat"), says("hi"), { threadId }));
    expect(one.messages.map((message) => message.content)).toEqual(["I have read 1 messages."]);
    const two = await trace(
      host,
      requestOf(manifestOf("chat"), says("and?"), { threadId, checkpointId: one.checkpointId }),
    );
    expect(two.messages.map((message) => message.content)).toEqual(["I have read 3 messages."]);
    const stored = await host.threadMessages(manifestOf("chat"), threadId, two.checkpointId ?? "");
    expect(stored.map((message) => message.role)).toEqual(["USER", "ASSISTANT", "USER", "ASSISTANT"]);
  });
});

it("numbers the branches of a map step", async () => {
  const input = { kind: "input" as const, input: { subjects: ["cats", "dogs", "birds"] }, messageId: null };
  const run = await trace(host, requestOf(manifestOf("map"), input));
  expect(run.steps.map((step) => step.name)).toEqual(["list", "joke", "joke", "joke"]);
  expect(run.end).toMatchObject({ status: "SUCCEEDED" });
});

it("tells a message that no model streamed, and what the graph wrote to its reader", async () => {
  const run = await trace(host, requestOf(manifestOf("echo"), says("hello")));
  expect(run.messages).toMatchObject([{ role: "ASSISTANT", content: "You said: hello" }]);
  expect(run.events.filter((event) => event.visibility === "END_USER").map((event) => event.type)).toEqual(
    expect.arrayContaining(["custom", "message.started", "message.delta", "message.completed"]),
  );
});

it("draws a graph as nodes and edges", async () => {
  const drawn = await host.draw(manifestOf("weather"));
  expect(drawn.nodes.map((node) => node.id)).toEqual(["__start__", "agent", "tools", "__end__"]);
  expect(drawn.edges).toContainEqual({ source: "agent", target: "tools", conditional: true });
});
