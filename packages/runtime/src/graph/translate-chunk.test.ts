import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { parseNewEvent } from "@wheelhouse/domain";
import type { RecordBatch } from "@wheelhouse/storage";
import { describe, expect, it } from "vitest";
import type { RunChunk } from "./run-chunk.ts";
import {
  finishTranslation,
  newTranslation,
  type TranslationOutcome,
  takeBatch,
  translateChunk,
} from "./translate-chunk.ts";
import type { TranslationOptions } from "./translation-state.ts";

/** A clock that moves a millisecond with every look, and ids in their order. */
function fresh(more: Partial<TranslationOptions> = {}) {
  let ticks = 0;
  let ids = 0;
  return newTranslation({
    runId: "run",
    taskId: "task",
    lastStepSeq: 0,
    maxPayloadBytes: 1_000,
    maxToolOutputBytes: 5_000,
    recordPayloads: true,
    tokenBudget: null,
    tokensUsed: 0,
    knownMessageIds: [],
    clock: { now: () => new Date(ticks++) },
    newId: () => `id${++ids}`,
    redact: (text) => text,
    ...more,
  });
}

function run(
  chunks: RunChunk[],
  outcome: TranslationOutcome = "SUCCEEDED",
  more: Partial<TranslationOptions> = {},
): RecordBatch {
  const state = fresh(more);
  for (const chunk of chunks) translateChunk(state, chunk);
  return finishTranslation(state, outcome, "over");
}

const root: RunChunk = {
  type: "chain.start",
  id: "g",
  parentId: undefined,
  name: "LangGraph",
  metadata: {},
  hidden: false,
  inputs: {},
};
const node = (id: string, name: string, inputs: unknown = {}, parentId = "g", path = `${name}:1`): RunChunk => ({
  type: "chain.start",
  id,
  parentId,
  name,
  metadata: { langgraph_node: name, langgraph_checkpoint_ns: path },
  hidden: false,
  inputs,
});
const model = (id: string, parentId: string, silent = false): RunChunk => ({
  type: "model.start",
  id,
  parentId,
  name: undefined,
  metadata: { ls_provider: "p", ls_model_name: "m" },
  prompt: [new HumanMessage("hi")],
  tools: [],
  silent,
});
const token = (id: string, content: unknown, messageId = `run-${id}`, callsTools = false): RunChunk => ({
  type: "model.token",
  id,
  messageId,
  content,
  callsTools,
});
const ended = (id: string, message: AIMessage): RunChunk => ({
  type: "model.end",
  id,
  messageId: message.id ?? "",
  message,
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5, input_token_details: { cache_read: 1 } },
});
const ai = (id: string, content: string, more: object = {}) => new AIMessage({ id, content, ...more });

const typesOf = (batch: RecordBatch) => batch.events.map((event) => event.type);
const told = (batch: RecordBatch) =>
  batch.events.flatMap((event) =>
    event.type.startsWith("message.")
      ? [
          `${event.type.slice(8)}${event.type === "message.delta" ? ` ${event.payload.text}@${event.payload.index}` : ""}`,
        ]
      : [],
  );

describe("chunks become", () => {
  const answer = ai("run-m", "Hello you");
  const streamed = [
    root,
    node("n", "agent"),
    model("m", "n"),
    token("m", "Hello"),
    token("m", " you"),
    ended("m", answer),
  ];
  const kept: RunChunk = { type: "chain.end", id: "n", outputs: { messages: [answer] } };

  const cases: [title: string, chunks: RunChunk[], outcome: TranslationOutcome, messages: string[]][] = [
    [
      "a streamed message, its pieces one when nobody took them",
      [...streamed, kept],
      "SUCCEEDED",
      ["started", "delta Hello you@0", "completed"],
    ],
    [
      "a message although no state kept it, when nothing else answered",
      streamed,
      "SUCCEEDED",
      ["started", "delta Hello you@0", "completed"],
    ],
    ["nothing that stays, when the run failed", streamed, "FAILED", ["started", "delta Hello you@0", "discarded"]],
    ["nothing that stays, when the run waits", streamed, "INTERRUPTED", ["started", "delta Hello you@0", "discarded"]],
    [
      "a message of its own for what a node returned without a model",
      [root, node("n", "agent"), { type: "chain.end", id: "n", outputs: { messages: [ai("x", "Made up")] } }],
      "SUCCEEDED",
      ["started", "delta Made up@0", "completed"],
    ],
    [
      "no message for what a node was given and returned",
      [
        root,
        node("n", "agent", { messages: [ai("old", "Old")] }),
        { type: "chain.end", id: "n", outputs: { messages: [ai("old", "Old")] } },
      ],
      "SUCCEEDED",
      [],
    ],
    [
      "no text for a model marked as silent",
      [root, node("n", "agent"), model("m", "n", true), token("m", "psst"), ended("m", ai("run-m", "psst"))],
      "SUCCEEDED",
      [],
    ],
    [
      "a message without text for a model that only calls tools",
      [
        root,
        node("n", "agent"),
        model("m", "n"),
        token("m", "", "run-m", true),
        ended("m", ai("run-m", "", { tool_calls: [{ name: "t", args: {}, id: "c" }] })),
        {
          type: "chain.end",
          id: "n",
          outputs: {
            output: [
              new Command({
                update: { messages: [ai("run-m", "", { tool_calls: [{ name: "t", args: {}, id: "c" }] })] },
              }),
            ],
          },
        },
      ],
      "SUCCEEDED",
      ["started", "completed"],
    ],
    [
      "text only, of content in blocks",
      [
        root,
        node("n", "agent"),
        model("m", "n"),
        token("m", [{ type: "reasoning", reasoning: "hm" }]),
        token("m", [{ type: "text", text: "Yes" }]),
        ended("m", ai("run-m", "Yes")),
      ],
      "SUCCEEDED",
      ["started", "delta Yes@0", "completed"],
    ],
  ];
  it.each(cases)("%s", (_title, chunks, outcome, messages) => {
    const batch = run(chunks, outcome);
    expect(told(batch)).toEqual(messages);
    for (const event of batch.events) expect(() => parseNewEvent(event)).not.toThrow();
    expect(batch.steps.every((step) => step.status !== "RUNNING")).toBe(true);
  });
});

it("numbers steps before they run and nests them by who called whom", () => {
  const batch = run([
    root,
    node("a", "left", {}, "g", "left:1"),
    node("b", "right", {}, "g", "right:1"),
    {
      type: "chain.start",
      id: "s",
      parentId: "b",
      name: "right",
      metadata: { langgraph_node: "right", langgraph_checkpoint_ns: "right:1" },
      hidden: false,
      inputs: {},
    },
    node("c", "inner", {}, "s", "right:1|inner:1"),
    { type: "chain.end", id: "c", outputs: {} },
    { type: "chain.end", id: "b", outputs: {} },
    { type: "chain.end", id: "a", outputs: {} },
  ]);
  const named = new Map(batch.steps.map((step) => [step.name, step]));
  expect([...named.values()].map((step) => [step.name, step.seq]).sort()).toEqual([
    ["inner", 3],
    ["left", 1],
    ["right", 2],
  ]);
  expect(named.get("inner")?.parentStepId).toBe(named.get("right")?.id);
  expect(named.get("left")?.parentStepId).toBeNull();
});

it("writes a step once when it ends before anyone took its start, and twice otherwise", () => {
  const state = fresh();
  translateChunk(state, root);
  translateChunk(state, node("a", "one"));
  translateChunk(state, { type: "chain.end", id: "a", outputs: {} });
  expect(takeBatch(state)?.steps).toMatchObject([{ name: "one", status: "COMPLETED" }]);
  translateChunk(state, node("b", "two"));
  expect(takeBatch(state)?.steps).toMatchObject([{ name: "two", status: "RUNNING", durationMs: null }]);
  translateChunk(state, { type: "chain.end", id: "b", outputs: {} });
  expect(takeBatch(state)?.steps).toMatchObject([{ name: "two", status: "COMPLETED" }]);
  expect(takeBatch(state)).toBeNull();
});

it("counts tokens and times of a model call", () => {
  const [call] = run([
    root,
    node("n", "agent"),
    model("m", "n"),
    token("m", "Hi"),
    ended("m", ai("run-m", "Hi")),
  ]).modelCalls;
  expect(call).toMatchObject({
    provider: "p",
    model: "m",
    status: "OK",
    promptTokens: 3,
    completionTokens: 2,
    totalTokens: 5,
    cachedPromptTokens: 1,
    cacheWriteTokens: null,
    reasoningTokens: null,
  });
  expect(call?.timeToFirstTokenMs).toBeGreaterThan(0);
  expect(call?.durationMs).toBeGreaterThan(call?.timeToFirstTokenMs ?? 0);
});

describe("a tool call", () => {
  const start = (input: string, name = "send"): RunChunk => ({
    type: "tool.start",
    id: "t",
    parentId: "n",
    name,
    input,
    toolCallId: "call",
  });
  const within = (...chunks: RunChunk[]) => run([root, node("n", "tools"), ...chunks]);

  it("tells readers the names of its arguments; secrets are not even on its step", () => {
    const batch = within(start('{"to":"ann","apiKey":"abc"}'), { type: "tool.end", id: "t", output: "sent" });
    const event = batch.events.find((candidate) => candidate.type === "tool.started");
    expect(event).toMatchObject({ visibility: "END_USER", payload: { argumentNames: ["to", "apiKey"] } });
    expect(batch.steps.find((step) => step.kind === "TOOL")).toMatchObject({
      inputs: { to: "ann", apiKey: "[redacted]" },
      output: "sent",
    });
    expect(batch.events.find((candidate) => candidate.type === "tool.completed")?.payload).toMatchObject({
      outputBytes: 4,
    });
  });

  it("takes a plain text for its only argument", () => {
    const batch = within(start("a text"), { type: "tool.end", id: "t", output: "ok" });
    expect(batch.steps.find((step) => step.kind === "TOOL")?.inputs).toEqual({ input: "a text" });
  });

  it("that answers with an error has failed", () => {
    const output = new ToolMessage({ content: "no", tool_call_id: "call", status: "error" });
    const batch = within(start("{}"), { type: "tool.end", id: "t", output });
    expect(typesOf(batch)).toContain("tool.failed");
    expect(batch.steps.find((step) => step.kind === "TOOL")).toMatchObject({ status: "FAILED", error: "no" });
  });

  it("that delegates is a subagent, and what is below it is for operators", () => {
    const batch = within(
      start('{"description":"do","subagent_type":"helper"}', "task"),
      node("i", "model_request", {}, "t", "tools:1|model_request:1"),
      model("m", "i"),
      token("m", "inner words"),
      ended("m", ai("run-m", "inner words")),
      { type: "chain.end", id: "i", outputs: { messages: [ai("run-m", "inner words")] } },
      { type: "tool.end", id: "t", output: "done" },
    );
    expect(batch.steps.find((step) => step.kind === "SUBAGENT")).toMatchObject({ name: "helper", toolCallId: "call" });
    expect(told(batch)).toEqual([]);
    expect(batch.messages).toEqual([]);
    expect(batch.events.filter((event) => event.visibility === "END_USER").map((event) => event.type)).toEqual([
      "tool.started",
      "subagent.started",
      "tool.completed",
      "subagent.completed",
    ]);
  });

  it("that waits for a human is given up without a failure", () => {
    const error = Object.assign(new Error("waits"), { name: "GraphInterrupt" });
    const batch = within(start("{}"), { type: "tool.error", id: "t", error }, { type: "chain.error", id: "n", error });
    expect(batch.steps.map((step) => step.status)).toEqual(["CANCELLED", "CANCELLED"]);
    expect(typesOf(batch)).not.toContain("step.failed");
  });
});

it("numbers the attempts of a node that is tried again", () => {
  const error = new Error("no");
  const batch = run([
    root,
    node("a", "flaky"),
    { type: "chain.error", id: "a", error },
    node("b", "flaky"),
    { type: "chain.end", id: "b", outputs: {} },
  ]);
  expect(batch.steps.map((step) => [step.status, step.attempt])).toEqual([
    ["FAILED", 1],
    ["COMPLETED", 2],
  ]);
});

it("keeps a preview, the size and the checksum of what is too large", () => {
  const [step] = run([root, node("a", "big", { text: "x".repeat(2_000) })]).steps;
  expect(step?.inputs).toMatchObject({
    bytes: 2_011,
    preview: expect.stringMatching(/^\{"text":"xxx/),
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

it("does not change after its end", () => {
  const state = fresh();
  translateChunk(state, root);
  finishTranslation(state, "CANCELLED", "over");
  translateChunk(state, node("late", "late"));
  expect(takeBatch(state)).toBeNull();
});
