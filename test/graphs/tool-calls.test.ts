import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tool } from "@langchain/core/tools";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { GraphHost, GraphRunRequest } from "@wheelhouse/runtime";
import type { GraphHostOptions } from "@wheelhouse/runtime/graph";
import type { InterruptRecord } from "@wheelhouse/storage";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { reactAgent } from "./patterns.ts";
import { answer, manifestOf, type RunTrace, requestOf, says, testHost, trace } from "./run-in-host.ts";

/** What the tools did to the world outside, and with which keys. */
const effects: { name: string; key: unknown; attempt: unknown }[] = [];
/** Tools that never come back from their next call, like those of a process that is killed in the middle. */
const stuck = new Set<string>();

function act(name: string, more: { metadata?: Record<string, unknown> } = {}) {
  return tool(
    async (_: unknown, config: LangGraphRunnableConfig) => {
      const { wheelhouse_idempotency_key: key, wheelhouse_attempt: attempt } = config.configurable ?? {};
      effects.push({ name, key, attempt });
      if (stuck.delete(name)) await new Promise(() => {});
      return `${name} is done`;
    },
    { name, description: `Does ${name}.`, schema: z.object({}), ...more },
  );
}

const charge = act("charge", { metadata: { repeatable: false } });
const look = act("look");
const failing = tool(
  () => {
    effects.push({ name: "failing", key: null, attempt: null });
    throw new Error("out of paper");
  },
  { name: "failing", description: "Fails.", schema: z.object({}), metadata: { repeatable: false } },
);

const calls = (...names: string[]) => [
  { toolCalls: names.map((name) => ({ name, args: {}, id: `call_${name}` })) },
  { content: "Finished." },
];

const options: Partial<GraphHostOptions> = {
  tools: [
    tool(
      async () => {
        effects.push({ name: "send_email", key: null, attempt: null });
        if (stuck.delete("send_email")) await new Promise(() => {});
        return "Sent.";
      },
      {
        name: "send_email",
        description: "Sends an email.",
        schema: z.object({ to: z.string(), subject: z.string(), body: z.string() }),
      },
    ),
  ],
  codeAgents: {
    one: { graph: reactAgent(calls("charge"), [charge]) },
    both: { graph: reactAgent(calls("charge", "look"), [charge, look]) },
    two: { graph: reactAgent(calls("look", "charge"), [look, charge]) },
    failing: { graph: reactAgent(calls("failing"), [failing]) },
  },
};

describe("tools of a run that is taken up again after its process was killed", () => {
  let folder: string;
  let host: GraphHost;
  const restart = async () => {
    await host[Symbol.asyncDispose]();
    host = testHost({ ...options, persistence: { kind: "sqlite", file: join(folder, "graphs.db") } });
  };
  beforeEach(async () => {
    effects.length = 0;
    stuck.clear();
    folder = await mkdtemp(join(tmpdir(), "wheelhouse-calls-"));
    host = testHost({ ...options, persistence: { kind: "sqlite", file: join(folder, "graphs.db") } });
  });
  afterEach(async () => {
    await host[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  /** Runs until `count` effects were seen, then is gone. */
  async function killedAfter(count: number, request: GraphRunRequest): Promise<void> {
    for await (const output of host.run(request)) {
      expect(output.kind).toBe("record");
      if (effects.length < count) continue;
      // What the tool did is done; that it did is in no checkpoint.
      await new Promise((resolve) => setImmediate(resolve));
      break;
    }
    await restart();
  }

  const start = (agent: string) => requestOf(manifestOf(agent), says("Go.", "user-1"));
  const input = { messages: [{ role: "user", content: "Go." }] };
  const recovered = (request: GraphRunRequest, answers: InterruptRecord[] | null = null): GraphRunRequest => ({
    ...request,
    start: { kind: "recover", input, messageId: "user-1", answers },
    lastStepSeq: 100,
  });
  const asked = (run: RunTrace) => {
    if (run.end.status !== "INTERRUPTED") throw new Error(run.end.status);
    const [interrupt] = run.end.interrupts;
    if (interrupt === undefined) throw new Error("nothing was asked");
    return interrupt;
  };
  const answered = async (request: GraphRunRequest, answers: InterruptRecord[]): Promise<GraphRunRequest> => {
    const { manifest, threadId, taskId } = request;
    const [newest] = await host.checkpoints(threadId, { before: null, limit: 1 });
    const checkpointId = newest?.id ?? null;
    return requestOf(manifest, { kind: "resume", answers }, { threadId, taskId, checkpointId, attempt: 2 });
  };
  const toolTexts = (run: RunTrace) => run.messages.filter(({ role }) => role === "TOOL").map(({ content }) => content);
  const done = (name: string) => effects.filter((effect) => effect.name === name).length;

  it("have the same key in the repeated step, and no two calls have one", async () => {
    stuck.add("look");
    const request = start("two");
    await killedAfter(2, request);
    const first = effects.find(({ name }) => name === "look");
    const run = await trace(host, recovered(request));
    expect(run.end.status).toBe("SUCCEEDED");
    const looks = effects.filter(({ name }) => name === "look");
    expect(looks).toEqual([first, first]);
    expect(first).toMatchObject({ key: expect.stringMatching(/^[0-9a-f]{64}$/), attempt: 1 });
    const other = await trace(host, start("two"));
    expect(other.end.status).toBe("SUCCEEDED");
    expect(new Set(effects.map(({ name, key }) => `${name} ${key}`)).size).toBe(4);
  });

  it("that may not be repeated are a human's to decide, who may have them called again", async () => {
    stuck.add("charge");
    const request = start("one");
    await killedAfter(1, request);
    const interrupt = asked(await trace(host, recovered(request)));
    expect(done("charge")).toBe(1);
    expect(interrupt).toMatchObject({
      kind: "TOOL_APPROVAL",
      allowedDecisions: ["APPROVE", "REJECT", "RESPOND"],
      actionRequests: [{ name: "charge", args: {}, description: expect.stringContaining("may have done its work") }],
    });
    const run = await trace(host, await answered(request, [answer(interrupt, "APPROVE")]));
    expect(run.end).toMatchObject({ status: "SUCCEEDED" });
    expect(done("charge")).toBe(2);
    expect(effects[0]?.key).toBe(effects[1]?.key);
    expect(toolTexts(run)).toEqual(["charge is done"]);
  });

  it.each([
    ["RESPOND", "It was charged, see the bank.", "It was charged, see the bank."],
    ["REJECT", "It was not charged.", "It was not charged."],
  ] as const)("that may not be repeated end with the human's words: %s", async (decision, value, expected) => {
    stuck.add("charge");
    const request = start("one");
    await killedAfter(1, request);
    const interrupt = asked(await trace(host, recovered(request)));
    const run = await trace(host, await answered(request, [answer(interrupt, decision, value)]));
    expect(run.end.status).toBe("SUCCEEDED");
    expect(toolTexts(run)).toEqual([expected]);
    expect(done("charge")).toBe(1);
  });

  it("that may not be repeated are asked about again when the repetition was lost, too", async () => {
    stuck.add("charge");
    const request = start("one");
    await killedAfter(1, request);
    const interrupt = asked(await trace(host, recovered(request)));
    stuck.add("charge");
    const second = await answered(request, [answer(interrupt, "APPROVE")]);
    await killedAfter(2, second);
    const again = asked(await trace(host, recovered(second, [answer(interrupt, "APPROVE")])));
    expect(done("charge")).toBe(2);
    const run = await trace(host, await answered(request, [answer(again, "RESPOND", "Twice is enough.")]));
    expect(run.end.status).toBe("SUCCEEDED");
    expect(toolTexts(run)).toEqual(["Twice is enough."]);
    expect(done("charge")).toBe(2);
  });

  it("that had ended give the result that they gave, although no checkpoint has it", async () => {
    stuck.add("look");
    const request = start("both");
    await killedAfter(2, request);
    const run = await trace(host, recovered(request));
    expect(run.end.status).toBe("SUCCEEDED");
    expect(toolTexts(run)).toEqual(["charge is done", "look is done"]);
    expect([done("charge"), done("look")]).toEqual([1, 2]);
  });

  it("that failed are not asked about: that they failed is known", async () => {
    const run = await trace(host, start("failing"));
    expect(run.end.status).toBe("SUCCEEDED");
    expect(toolTexts(run)[0]).toContain("out of paper");
    expect(done("failing")).toBe(1);
  });

  it("are named in a definition, too", async () => {
    stuck.add("send_email");
    const manifest = manifestOf("clerk", {
      model: { provider: "scripted", model: "guide" },
      tools: ["send_email"],
      repeatable: { send_email: false },
    });
    const content = 'Send an email to ann@example.com about "Lunch"';
    const request = requestOf(manifest, says(content, "user-1"));
    await killedAfter(1, request);
    const again = { ...request, lastStepSeq: 100 };
    const start = { kind: "recover" as const, input: { messages: [{ role: "user", content }] }, messageId: "user-1" };
    const interrupt = asked(await trace(host, { ...again, start: { ...start, answers: null } }));
    expect(interrupt).toMatchObject({ actionRequests: [{ name: "send_email", args: { to: "ann@example.com" } }] });
    expect(done("send_email")).toBe(1);
  });
});
