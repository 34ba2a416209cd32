import { tool } from "@langchain/core/tools";
import { Annotation, getStore, START, StateGraph } from "@langchain/langgraph";
import type { GraphHost } from "@wheelhouse/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { reactAgent } from "./patterns.ts";
import { type Place, places } from "./places.ts";
import { manifestOf, requestOf, says, testHost, trace } from "./run-in-host.ts";

let slowCalls = 0;
/** Waits on its first call until it is given up, and answers on the second. */
const slow = tool(
  async (_input, config) => {
    slowCalls += 1;
    if (slowCalls > 1) return "done";
    await new Promise((_resolve, reject) =>
      config.signal?.addEventListener("abort", () => reject(new Error("stopped"))),
    );
    return "never";
  },
  { name: "slow", description: "Slow.", schema: z.object({}) },
);

const Note = Annotation.Root({ note: Annotation<string>, found: Annotation<string[]> });
const memory = new StateGraph(Note)
  .addNode("remember", async ({ note }) => {
    const store = getStore();
    await store?.put(["notes"], note, { note });
    const items = (await store?.search(["notes"])) ?? [];
    return { found: items.map((item) => item.key).sort() };
  })
  .addEdge(START, "remember")
  .compile();

describe.each(places)("with state in %s", (kind, open) => {
  let place: Place;
  let host: GraphHost;
  const openHost = () =>
    testHost({
      persistence: place.config,
      codeAgents: {
        slow: {
          graph: reactAgent(
            [
              { content: "Working.", toolCalls: [{ name: "slow", args: {}, id: "call_slow" }] },
              { content: "Finished." },
            ],
            [slow],
            false,
          ),
        },
        memory: { graph: memory },
      },
    });
  beforeAll(async () => {
    place = await open();
    host = openHost();
  });
  afterAll(async () => {
    await host[Symbol.asyncDispose]();
    await place.close();
  });

  it("continues a lost run from its last checkpoint and says nothing twice", async () => {
    slowCalls = 0;
    const manifest = manifestOf("slow");
    const request = requestOf(manifest, says("Go.", "user-1"));
    const before = new Set<string>();
    let lastStepSeq = 0;
    for await (const output of host.run(request)) {
      for (const message of output.batch.messages) before.add(message.langgraphMessageId);
      for (const step of output.batch.steps) lastStepSeq = Math.max(lastStepSeq, step.seq);
      // A worker that is gone leaves its iterator in the middle of a tool call.
      if (output.batch.events.some((event) => event.type === "tool.started")) break;
    }
    if (kind !== "memory") {
      await host[Symbol.asyncDispose]();
      host = openHost();
    }
    const reached = await host.lastCheckpoint(request.threadId, request.runId);
    const stored = await host.threadMessages(manifest, request.threadId, reached ?? "");
    expect(stored.map((message) => message.role)).toEqual(["USER", "ASSISTANT"]);

    const start = {
      kind: "recover" as const,
      input: { messages: [{ role: "user", content: "Go." }] },
      messageId: "user-1",
      answers: null,
    };
    const run = await trace(host, { ...request, start, lastStepSeq, generation: 2 });
    expect(run.end).toMatchObject({ status: "SUCCEEDED", output: { content: "Finished." } });
    expect(run.steps[0]).toMatchObject({ seq: lastStepSeq + 1, name: "tools" });
    expect(run.messages.map((message) => message.role)).toEqual(["TOOL", "ASSISTANT"]);
    expect(run.messages.some((message) => before.has(message.langgraphMessageId))).toBe(false);
    const after = await host.threadMessages(manifest, request.threadId, run.checkpointId ?? "");
    expect(after.map((message) => message.role)).toEqual(["USER", "ASSISTANT", "TOOL", "ASSISTANT"]);
    expect(after[0]?.langgraphMessageId).toBe("user-1");
  });

  it("starts from the input when the lost run had no checkpoint", async () => {
    slowCalls = 1;
    const request = requestOf(manifestOf("slow"), {
      kind: "recover",
      input: { content: "Go." },
      messageId: "user-2",
      answers: null,
    });
    const run = await trace(host, request);
    expect(run.end.status).toBe("SUCCEEDED");
    const stored = await host.threadMessages(request.manifest, request.threadId, run.checkpointId ?? "");
    expect(stored.map((message) => message.langgraphMessageId)[0]).toBe("user-2");
  });

  it("remembers across threads within one scope, and shows it to no other", async () => {
    const note = async (text: string, user: string) => {
      const start = { kind: "input" as const, input: { note: text }, messageId: null };
      const run = await trace(host, requestOf(manifestOf("memory"), start, { scope: { project: "p", user } }));
      return run.end.status === "SUCCEEDED" ? run.end.output : run.end;
    };
    expect(await note("a", "ann")).toMatchObject({ found: ["a"] });
    expect(await note("b", "ann")).toMatchObject({ found: ["a", "b"] });
    expect(await note("c", "bob")).toMatchObject({ found: ["c"] });
  });
});

it("fails with a text for people when the state cannot be stored anywhere", async () => {
  const host = testHost({
    persistence: { kind: "postgres", url: "postgres://u:p@127.0.0.1:41199/none", schema: "langgraph" },
  });
  const run = await trace(host, requestOf(manifestOf("any"), says("Go.")));
  expect(run.end).toMatchObject({ status: "FAILED", failure: { code: "INTERNAL" } });
  await host[Symbol.asyncDispose]();
});
