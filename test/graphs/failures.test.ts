import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { GraphOutput } from "@wheelhouse/runtime";
import { createScriptedModel, type ScriptedTurn } from "@wheelhouse/runtime/scripted";
import { createAgent, modelRetryMiddleware } from "langchain";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { endless, reactAgent } from "./patterns.ts";
import { manifestOf, type RunTrace, requestOf, says, testHost, trace } from "./run-in-host.ts";

const said = (turn: ScriptedTurn) => reactAgent([turn]);

const broken = tool(
  () => {
    throw new Error("connection to postgres://admin:hunter2@db/x refused");
  },
  { name: "broken", description: "Always fails.", schema: z.object({}) },
);
const huge = tool(() => "x".repeat(5_000_000), { name: "huge", description: "Returns 5 MB.", schema: z.object({}) });
const large = tool(() => "y".repeat(500_000), { name: "large", description: "Returns 0.5 MB.", schema: z.object({}) });

const calling = (name: string, then = "Done."): ScriptedTurn[] => [
  { toolCalls: [{ name, args: {} }] },
  { content: then },
];
const overloaded = () => Object.assign(new Error("Overloaded, key sk-abcdefghijklmnop0123"), { status: 529 });

const host = testHost({
  env: { OPENAI_API_KEY: " ", SOME_TOKEN: "very-secret-value" },
  codeAgents: {
    "model-throws": { graph: said({ content: "Half an ans", error: overloaded() }) },
    "tool-throws": { graph: reactAgent(calling("broken"), [broken], false) },
    "tool-answers-error": { graph: reactAgent(calling("broken", "It failed."), [broken]) },
    "tool-huge": { graph: reactAgent(calling("huge"), [huge]) },
    "tool-large": { graph: reactAgent(calling("large"), [large]) },
    endless: { graph: endless() },
    hangs: { graph: said({ content: "Wait", hang: "until-abort" }) },
    deaf: { graph: said({ content: "Never", hang: "deaf" }) },
    "node-throws": {
      graph: new StateGraph(MessagesAnnotation)
        .addNode("wrong", () => {
          throw new Error("cannot read very-secret-value");
        })
        .addEdge(START, "wrong")
        .compile(),
    },
    retried: {
      graph: createAgent({
        model: createScriptedModel({ turns: [{ error: overloaded() }, { content: "Second try." }], by: "call" }),
        tools: [],
        middleware: [modelRetryMiddleware({ maxRetries: 2, initialDelayMs: 0, jitter: false })],
      }),
    },
    silent: { graph: said({ content: "No usage.", usage: "none" }) },
    late: { graph: said({ content: "Late usage.", usage: "late" }) },
    thinks: { graph: said({ reasoning: ["Let me ", "think."], content: ["I ", "thought \ud83d", "\ude00."] }) },
    junk: { graph: { not: "a graph" } },
    "factory-throws": {
      graph: () => {
        throw new Error("no such file");
      },
    },
  },
});
afterAll(() => host[Symbol.asyncDispose]());

const failureOf = (run: RunTrace) => {
  if (run.end.status !== "FAILED") throw new Error(`it ended ${run.end.status}`);
  return run.end.failure;
};

/** What must hold after every end: nothing is left running or half said. */
function expectClosed(run: RunTrace): void {
  expect(run.steps.filter((step) => step.status === "RUNNING")).toEqual([]);
  const count = (type: string) => run.events.filter((event) => event.type === type).length;
  expect(count("message.completed") + count("message.discarded")).toBe(count("message.started"));
  expect(count("step.completed") + count("step.failed")).toBe(count("step.started"));
  expect(count("tool.completed") + count("tool.failed")).toBe(count("tool.started"));
}

describe("a run that fails", () => {
  const cases: [agent: string, code: string, message: RegExp, more?: Parameters<typeof manifestOf>[2]][] = [
    [
      "model-throws",
      "MODEL_ERROR",
      /^The model call failed \(529, the provider is overloaded\): Overloaded, key \[redacted\]$/,
    ],
    ["tool-throws", "TOOL_ERROR", /^The tool "broken" failed: connection to postgres:\/\/\[redacted\]@db\/x refused$/],
    ["tool-huge", "OUTPUT_TOO_LARGE", /^The tool "huge" returned 5000000 bytes/],
    ["endless", "RECURSION_LIMIT", /more steps than its limit/, { recursionLimit: 10 }],
    ["hangs", "EXECUTION_TIMEOUT", /longer than the 0.05 seconds/, { timeoutSeconds: 0.05 }],
    ["deaf", "EXECUTION_TIMEOUT", /longer than the 0.05 seconds/, { timeoutSeconds: 0.05 }],
    ["node-throws", "GRAPH_ERROR", /^The graph failed in "wrong": cannot read \[redacted\]$/],
    ["gone", "AGENT_NOT_FOUND", /"gone" is not registered/],
    ["junk", "CONFIG_INVALID", /is not a compiled LangGraph graph/],
    ["factory-throws", "GRAPH_ERROR", /no such file/],
  ];
  it.each(cases)("%s ends as %s with a text for people", async (agent, code, message, more) => {
    const run = await trace(host, requestOf(manifestOf(agent, null, more), says("Go.")));
    expect(failureOf(run).code).toBe(code);
    expect(failureOf(run).message).toMatch(message);
    expect(JSON.stringify(run.outputs.map(({ batch }) => batch))).not.toMatch(/hunter2|very-secret-value|sk-abc/);
    expectClosed(run);
  });

  it("takes back the half-streamed message and records the failed call", async () => {
    const run = await trace(host, requestOf(manifestOf("model-throws"), says("Go.")));
    expect(run.messages).toEqual([]);
    expect(run.events.some((event) => event.type === "message.discarded")).toBe(true);
    expect(run.modelCalls).toMatchObject([{ status: "ERROR", responseCode: "529", totalTokens: null }]);
  });

  it("names the variable when a provider's key is missing", async () => {
    const model = { provider: "openai", model: "gpt-5" };
    const run = await trace(host, requestOf(manifestOf("keyless", { model }), says("Go.")));
    expect(failureOf(run)).toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining("OPENAI_API_KEY"),
    });
    const own = await trace(
      host,
      requestOf(manifestOf("keyless", { model: { ...model, apiKeyEnv: "MY_KEY" } }), says("Go.")),
    );
    expect(failureOf(own).message).toContain("MY_KEY");
  });

  it.each([
    [{ model: { provider: "scripted", model: "nobody" } }, /no scripted model "nobody"/],
    [
      { model: { provider: "scripted", model: "guide" }, tools: ["missing_tool"] },
      /"missing_tool" is neither defined nor registered/,
    ],
    [
      { model: { provider: "scripted", model: "guide" }, kind: "deep", subagents: ["nobody"] },
      /subagent "nobody" does not exist/,
    ],
  ])("says what is wrong with a definition: %j", async (definition, message) => {
    const run = await trace(host, requestOf(manifestOf("wrong", definition), says("Go.")));
    expect(failureOf(run).code).toBe("CONFIG_INVALID");
    expect(failureOf(run).message).toMatch(message);
  });

  it("takes the next message in the same conversation", async () => {
    const request = requestOf(manifestOf("model-throws"), says("Go."));
    const { checkpointId } = await trace(host, request);
    const { threadId } = request;
    const next = await trace(host, requestOf(manifestOf("silent"), says("And now?"), { threadId, checkpointId }));
    expect(next.end.status).toBe("SUCCEEDED");
  });
});

describe("a run that goes on", () => {
  it("after a tool that failed with an answer, marks the tool's step as failed", async () => {
    const run = await trace(host, requestOf(manifestOf("tool-answers-error"), says("Go.")));
    expect(run.end).toMatchObject({ status: "SUCCEEDED", output: { content: "It failed." } });
    expect(run.steps.find((step) => step.kind === "TOOL")).toMatchObject({ status: "FAILED" });
    const failed = run.events.find((event) => event.type === "tool.failed");
    expect(failed?.visibility).toBe("END_USER");
    expect(JSON.stringify(failed?.payload)).not.toContain("postgres");
    expectClosed(run);
  });

  it("with a large tool answer, keeps a preview, its size and its checksum", async () => {
    const run = await trace(host, requestOf(manifestOf("tool-large", null, { maxPayloadBytes: 10_000 }), says("Go.")));
    expect(run.end.status).toBe("SUCCEEDED");
    const step = run.steps.find(({ kind }) => kind === "TOOL");
    expect(step?.output).toMatchObject({ bytes: 500_002, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const message = run.messages.find(({ role }) => role === "TOOL");
    expect(message?.content.length).toBeLessThan(3_000);
    expect(message?.parts).toMatchObject([{ type: "preview", bytes: 500_000 }]);
  });

  it("after a model call that was repeated, with both calls counted", async () => {
    const run = await trace(host, requestOf(manifestOf("retried"), says("Go.")));
    expect(run.end.status).toBe("SUCCEEDED");
    expect(run.modelCalls.map(({ status, attempt }) => [status, attempt])).toEqual([
      ["ERROR", 1],
      ["OK", 2],
    ]);
    expectClosed(run);
  });
});

describe("what providers report", () => {
  it("is null when they report nothing", async () => {
    const run = await trace(host, requestOf(manifestOf("silent"), says("Go.")));
    expect(run.modelCalls).toMatchObject([
      { status: "OK", promptTokens: null, completionTokens: null, totalTokens: null },
    ]);
  });

  it("is taken from a late chunk", async () => {
    const run = await trace(host, requestOf(manifestOf("late"), says("Go.")));
    expect(run.modelCalls[0]?.totalTokens).toBeGreaterThan(0);
  });

  it("may be blocks: text is streamed, reasoning becomes a part, no character is torn", async () => {
    const run = await trace(host, requestOf(manifestOf("thinks"), says("Go.")));
    expect(run.messages).toMatchObject([
      {
        content: "I thought 😀.",
        parts: [
          { type: "reasoning", text: "Let me think." },
          { type: "text", text: "I thought 😀." },
        ],
      },
    ]);
    const told = run.events.flatMap((event) => (event.type === "message.delta" ? [event.payload.text] : []));
    expect(told.join("")).toBe("I thought 😀.");
    expect(told.every((text) => text.isWellFormed())).toBe(true);
  });
});

describe("a cancelled run", () => {
  it.each(["hangs", "deaf"])("%s ends although its graph waits", async (agent) => {
    const controller = new AbortController();
    const outputs: GraphOutput[] = [];
    for await (const output of host.run(requestOf(manifestOf(agent), says("Go."), { signal: controller.signal }))) {
      outputs.push(output);
      if (output.batch.events.some((event) => event.type === "message.delta")) controller.abort();
    }
    const last = outputs.at(-1);
    expect(last).toMatchObject({ kind: "end", end: { status: "CANCELLED" } });
    expect(last?.batch.events.some((event) => event.type === "message.discarded")).toBe(true);
    const calls = outputs.flatMap(({ batch }) => batch.modelCalls);
    expect(calls).toHaveLength(1);
  });

  it("that was cancelled before it began, runs nothing", async () => {
    const run = await trace(host, requestOf(manifestOf("silent"), says("Go."), { signal: AbortSignal.abort() }));
    expect(run.end.status).toBe("CANCELLED");
    expect(run.steps).toEqual([]);
  });
});

it("records names and times only when payloads are not to be kept", async () => {
  const run = await trace(host, requestOf(manifestOf("tool-large", null, { recordPayloads: false }), says("Go.")));
  expect(run.steps.length).toBeGreaterThan(3);
  for (const step of run.steps) {
    expect(step.inputs ?? step.output ?? step.prompt).toBeUndefined();
    expect(step.durationMs).not.toBeNull();
  }
  if (run.end.status === "SUCCEEDED") expect(run.end.context).toBeNull();
});
