import { tool } from "@langchain/core/tools";
import { type Manifest, ResolvedAgentDefinition, SkillDefinition } from "@wheelhouse/domain";
import type { Script } from "@wheelhouse/runtime/scripted";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ToolCallFailed } from "../../packages/runtime/src/graph/tool-failures.ts";
import { filesInMemory } from "../../packages/runtime/test/files-in-memory.ts";
import { callsAsAsked } from "./call-as-asked.ts";
import { answer, manifestOf, type RunTrace, requestOf, says, testHost, trace } from "./run-in-host.ts";

let failures = 0;
const done: unknown[] = [];
const add = tool(
  ({ a }: { a: number }) => {
    done.push(a);
    return `Sum ${a + 1}, ask ann@example.com`;
  },
  { name: "add", description: "Adds one.", schema: z.object({ a: z.number() }) },
);
const flaky = tool(
  () => {
    if (failures-- > 0) throw new ToolCallFailed("busy", { retryable: true });
    return "It worked.";
  },
  { name: "flaky", description: "Works at last.", schema: z.object({}) },
);
const wrong = tool(
  () => {
    failures += 1;
    throw new ToolCallFailed("never", { retryable: false });
  },
  { name: "wrong", description: "Never works.", schema: z.object({}) },
);

/** Prompts that models were given, as texts. */
const prompts: string[] = [];
const listening: Script = (messages, tools) => {
  prompts.push(messages.map((message) => `${message.getType()}: ${message.text}`).join("\n"));
  return callsAsAsked(messages, tools);
};
/** Says in turn what the user wrote, and sums up when it is asked for a summary. */
const talking: Script = (messages) => {
  prompts.push(messages.map((message) => message.text).join("\n"));
  const text = messages.at(-1)?.text ?? "";
  return { content: text.length > 500 ? "They spoke about ships." : `You said: ${text.slice(0, 20)}` };
};

const host = testHost({ scripts: { calls: listening, talks: talking }, tools: [add, flaky, wrong] });
afterAll(() => host[Symbol.asyncDispose]());

type Written = Record<string, unknown>;
const calls = { provider: "scripted", model: "calls" } as const;
const manifestWith = (more: Written, pinned: Partial<Manifest> = {}): Manifest => ({
  ...manifestOf("worker", { model: calls, tools: ["add"], ...more }),
  ...pinned,
});
const wish = (name: string, args: unknown = {}) => ({ name, args });

function ask(manifest: Manifest, ...wishes: unknown[]): Promise<RunTrace> {
  prompts.length = 0;
  done.length = 0;
  return trace(host, requestOf(manifest, says(JSON.stringify(wishes.length === 1 ? wishes[0] : wishes))));
}
const said = (run: RunTrace) => run.messages.at(-1)?.content;
const failureOf = (run: RunTrace) => (run.end.status === "FAILED" ? run.end.failure : run.end.status);
const toolTexts = (run: RunTrace) => run.messages.filter(({ role }) => role === "TOOL").map(({ content }) => content);

describe("tools that an agent may not use", () => {
  it("are not seen by the model when they are excluded, built-in ones included", async () => {
    const deep = manifestWith({ kind: "deep", excludedTools: ["write_file", "add"] });
    expect(said(await ask(deep, wish("add", { a: 1 })))).toMatch(/^I have no add, only (?!.*write_file).*read_file/);
  });

  it("are refused when they are blocked, and the run goes on", async () => {
    const run = await ask(manifestWith({ blockedTools: ["add"] }), wish("add", { a: 1 }));
    expect(said(run)).toBe("Answer: The tool add is blocked here; it was not called.");
    expect(done).toEqual([]);
    const deep = manifestWith({ kind: "deep", blockedTools: ["write_file"] });
    const written = await ask(deep, wish("write_file", { file_path: "/x", content: "y" }));
    expect(said(written)).toMatch(/write_file is blocked/);
  });
});

describe("middleware of a definition", () => {
  it("calls a tool again that may work later, and no other", async () => {
    const manifest = manifestWith({ tools: ["flaky", "wrong"], middleware: [{ type: "tool_retry", maxRetries: 2 }] });
    failures = 2;
    expect(said(await ask(manifest, wish("flaky")))).toBe("Answer: It worked.");
    failures = 3;
    expect(said(await ask(manifest, wish("flaky")))).toBe("Answer: busy");
    failures = 0;
    expect(said(await ask(manifest, wish("wrong")))).toBe("Answer: never");
    expect(failures).toBe(1);
  });

  it("stops calling a tool at its limits, of which there may be several, and counts each run from the start", async () => {
    const limits = [
      { type: "tool_call_limit", tool: "add", runLimit: 2 },
      { type: "tool_call_limit", runLimit: 5 },
      { type: "tool_call_limit", runLimit: 4 },
    ];
    const manifest = manifestWith({ middleware: limits });
    const three = [1, 2, 3].map((a) => wish("add", { a }));
    const request = requestOf(manifest, says(JSON.stringify(three)));
    done.length = 0;
    const run = await trace(host, request);
    expect(done).toEqual([1, 2]);
    expect(toolTexts(run).filter((text) => /limit/i.test(text))).toHaveLength(1);
    const { threadId } = request;
    const next = requestOf(manifest, says(JSON.stringify(three)), { threadId, checkpointId: run.checkpointId });
    await trace(host, next);
    expect(done).toEqual([1, 2, 1, 2]);
  });

  it("stops a run that calls its model too often, and begins to count anew with the next", async () => {
    const manifest = manifestWith({ middleware: [{ type: "model_call_limit", runLimit: 1 }] });
    const request = requestOf(manifest, says(JSON.stringify(wish("add", { a: 1 }))));
    const run = await trace(host, request);
    expect(failureOf(run)).toMatchObject({ code: "RECURSION_LIMIT" });
    const { threadId } = request;
    const next = requestOf(manifest, says('{"name":"none","args":{}}'), { threadId, checkpointId: run.checkpointId });
    expect((await trace(host, next)).end.status).toBe("SUCCEEDED");
  });

  it("takes personal data out of what the model reads", async () => {
    const pii = [
      { type: "pii", kind: "email", applyToToolResults: true },
      { type: "pii", kind: "ip", strategy: "block" },
    ];
    const manifest = manifestWith({ middleware: pii });
    await ask(manifest, wish("add", { a: 1 }));
    expect(prompts.join()).toContain("Sum 2, ask");
    expect(prompts.join()).not.toContain("ann@example.com");
    const run = await ask(manifest, wish("none", { from: "10.1.2.3" }));
    expect(failureOf(run)).toMatchObject({ code: "GRAPH_ERROR" });
    expect(prompts).toEqual([]);
  });

  it.each(["react", "deep"])(
    "sums up a long conversation of a %s agent, and nobody is told the summary as an answer",
    async (kind) => {
      const middleware = [{ type: "summarization", maxTokens: 1000, keepMessages: 1 }];
      const manifest = manifestOf(`talker-${kind}`, {
        model: { provider: "scripted", model: "talks" },
        kind,
        middleware,
      });
      const first = requestOf(manifest, says(`Ships ${"sail far ".repeat(600)}`));
      const { checkpointId } = await trace(host, first);
      prompts.length = 0;
      const run = await trace(host, requestOf(manifest, says("And now?"), { threadId: first.threadId, checkpointId }));
      expect(run.end.status).toBe("SUCCEEDED");
      expect(prompts.at(-1)).toContain("They spoke about ships.");
      expect(prompts.at(-1)?.length).toBeLessThan(20_000);
      const told = run.events.filter(({ type }) => type === "message.delta").map(({ payload }) => payload.text);
      expect(told.join("")).toBe("You said: And now?");
    },
  );
});

describe("a budget", () => {
  it("ends a run that used more, subagents included, before its tools are called", async () => {
    const run = await ask(manifestWith({ budget: { tokensPerRun: 5 } }), wish("add", { a: 1 }));
    expect(failureOf(run)).toMatchObject({
      code: "BUDGET_EXCEEDED",
      message: expect.stringMatching(/^The run used \d+ tokens, and may use 5\.$/),
    });
    expect(run.modelCalls).toHaveLength(1);
    const enough = await ask(manifestWith({ budget: { tokensPerRun: 1_000_000 } }), wish("add", { a: 1 }));
    expect(enough.end.status).toBe("SUCCEEDED");
    const start = says(JSON.stringify(wish("add", { a: 1 })));
    const taken = await trace(
      host,
      requestOf(manifestWith({ budget: { tokensPerRun: 1_000_000 } }), start, { tokensUsed: 999_999 }),
    );
    expect(failureOf(taken)).toMatchObject({ code: "BUDGET_EXCEEDED" });
    const helper = ResolvedAgentDefinition.parse({ model: calls, description: "Helps." });
    const below = wish("task", { subagent_type: "helper", description: '{"name":"none","args":{}}' });
    const delegating = (tokensPerRun: number) =>
      manifestWith({ kind: "deep", subagents: ["helper"], budget: { tokensPerRun } }, { subagents: { helper } });
    const whole = await ask(delegating(1_000_000), below);
    expect(whole.modelCalls).toHaveLength(3);
    const first = whole.modelCalls[0]?.totalTokens ?? 0;
    const delegated = await ask(delegating(first), below);
    expect(failureOf(delegated)).toMatchObject({ code: "BUDGET_EXCEEDED" });
    expect(delegated.modelCalls).toHaveLength(2);
  });
});

const skill = (more: Written = {}) =>
  SkillDefinition.parse({ description: 'How to pay back: "slowly".', body: "# Refunds\n\nAsk first.", ...more });
const deep = (more: Written = {}, pinned: Partial<Manifest> = {}) =>
  manifestWith({ kind: "deep", tools: [], ...more }, pinned);

describe("skills", () => {
  it("are offered by name and description, and read when they are needed", async () => {
    const manifest = deep({ skills: ["refunds"] }, { skills: { refunds: skill() } });
    const run = await ask(manifest, wish("read_file", { file_path: "/skills/refunds/SKILL.md" }));
    expect(prompts[0]).toContain('**refunds**: How to pay back: "slowly".');
    expect(said(run)).toContain("Ask first.");
  });

  it("may be several files; the definition's name and description are the ones that count", async () => {
    const files = { "SKILL.md": "---\nname: other\ndescription: Wrong.\n---\nSee notes.", "notes/more.md": "Be kind." };
    const refunds = SkillDefinition.parse({ description: "Right.", files });
    const manifest = deep({ skills: ["refunds"] }, { skills: { refunds } });
    const run = await ask(manifest, wish("read_file", { file_path: "/skills/refunds/notes/more.md" }));
    expect(prompts[0]).toContain("**refunds**: Right.");
    expect(prompts[0]).not.toContain("Wrong.");
    expect(said(run)).toContain("Be kind.");
  });

  it("cannot be changed by an agent, as all runs share them", async () => {
    const manifest = deep({ skills: ["refunds"] }, { skills: { refunds: skill() } });
    const file_path = "/skills/refunds/SKILL.md";
    for (const change of [
      wish("write_file", { file_path, content: "Pay everybody." }),
      wish("edit_file", { file_path, old_string: "Ask first.", new_string: "Pay everybody." }),
      wish("write_file", { file_path: "/skills/new/SKILL.md", content: "---\nname: new\n---" }),
    ])
      expect(said(await ask(manifest, change))).toMatch(/can be read and not changed/);
    expect(said(await ask(manifest, wish("read_file", { file_path })))).toContain("Ask first.");
  });

  it("of a conversation are those of the definition of now", async () => {
    const manifest = deep({ skills: ["refunds"] }, { skills: { refunds: skill() } });
    const first = requestOf(manifest, says('{"name":"none","args":{}}'));
    const { checkpointId } = await trace(host, first);
    prompts.length = 0;
    const changed = deep({ skills: ["refunds"] }, { skills: { refunds: skill({ description: "Pay at once." }) } });
    await trace(
      host,
      requestOf(changed, says('{"name":"none","args":{}}'), { threadId: first.threadId, checkpointId }),
    );
    expect(prompts[0]).toContain("Pay at once.");
    expect(prompts[0]).not.toContain("slowly");
  });

  it.each([
    ["are not defined", { kind: "deep", skills: ["refunds"] }, {}, /skill "refunds" is not defined/],
    [
      "lie in a sandbox",
      { kind: "deep", skills: ["refunds"] },
      { skills: { refunds: { description: "d", path: "/workspace/refunds" } } },
      /in a sandbox, and this installation has none/,
    ],
    [
      "are an agent's that has no files",
      { skills: ["refunds"] },
      { skills: { refunds: { description: "d", body: "b" } } },
      /Only agents of the kind deep/,
    ],
  ])("that %s fail the run before the model", async (_, definition, pinned, message) => {
    const run = await ask(manifestWith(definition, pinned), wish("none"));
    expect(failureOf(run)).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(message) });
    expect(run.steps).toEqual([]);
  });
});

describe("files", () => {
  it("are read and written where the definition allows it, by subagents as well", async () => {
    const permissions = [
      { operations: ["write"], paths: ["/drafts/**"] },
      { operations: ["read", "write"], paths: ["/secret/**"], mode: "deny" },
      { operations: ["write"], paths: ["/**"], mode: "deny" },
    ];
    const manifest = deep({ permissions });
    const write = (file_path: string) => wish("write_file", { file_path, content: "Hello" });
    expect(said(await ask(manifest, write("/drafts/a.md")))).not.toMatch(/denied|not allowed/i);
    expect(said(await ask(manifest, write("/letters/a.md")))).toMatch(/denied|not allowed/i);
    expect(said(await ask(manifest, wish("read_file", { file_path: "/secret/a" })))).toMatch(/denied|not allowed/i);
    const helper = ResolvedAgentDefinition.parse({ model: calls, description: "Helps." });
    for (const subagent_type of ["helper", "general-purpose"]) {
      const below = wish("task", { subagent_type, description: JSON.stringify(write("/letters/a.md")) });
      const run = await ask(deep({ permissions, subagents: ["helper"] }, { subagents: { helper } }), below);
      expect(said(run)).toMatch(/denied|not allowed/i);
    }
  });

  it("below /memories outlive the conversation, within the scope, and are read at each beginning", async () => {
    const manifest = deep({ memory: ["/memories/AGENTS.md"] });
    const write = wish("write_file", { file_path: "/memories/AGENTS.md", content: "Ann likes tea." });
    const files = filesInMemory();
    const first = requestOf(manifest, says(JSON.stringify(write)), { files });
    const { checkpointId } = await trace(host, first);
    prompts.length = 0;
    await trace(host, requestOf(manifest, says('{"name":"none","args":{}}'), { files }));
    expect(prompts[0]).toContain("Ann likes tea.");
    const { threadId } = first;
    prompts.length = 0;
    await trace(host, requestOf(manifest, says('{"name":"none","args":{}}'), { files, threadId, checkpointId }));
    // The conversation itself speaks of it as well.
    expect(prompts[0]?.split("\nhuman: ")[0]).toContain("Ann likes tea.");
    prompts.length = 0;
    const elsewhere = { scope: { project: "other" }, files: filesInMemory() };
    await trace(host, requestOf(manifest, says('{"name":"none","args":{}}'), elsewhere));
    expect(prompts[0]).not.toContain("Ann likes tea.");
  });

  it("take what a tool returned, when it is longer than the policy allows", async () => {
    const long = deep({ tools: ["add"], contextPolicy: { toolTokenLimitBeforeEvict: 1 } });
    expect(said(await ask(long, wish("add", { a: 1 })))).toMatch(/\/large_tool_results\//);
  });
});

describe("subagents", () => {
  it("may hand work on to subagents of their own", async () => {
    const inner = ResolvedAgentDefinition.parse({ model: calls, description: "Adds.", tools: ["add"] });
    const middle = ResolvedAgentDefinition.parse({
      model: calls,
      description: "M.",
      kind: "deep",
      subagents: ["inner"],
    });
    const add7 = JSON.stringify(wish("add", { a: 7 }));
    const below = JSON.stringify(wish("task", { subagent_type: "inner", description: add7 }));
    const manifest = deep({ subagents: ["middle"] }, { subagents: { middle, inner } });
    const run = await ask(manifest, wish("task", { subagent_type: "middle", description: below }));
    expect(said(run)).toMatch(/^Answer: Answer: Answer: Sum 8/);
    expect(run.steps.filter(({ kind }) => kind === "SUBAGENT").map(({ name }) => name)).toEqual(["middle", "inner"]);
  });

  it("may ask a person, also two levels below", async () => {
    const inner = { model: calls, description: "Adds.", tools: ["add"], interruptOn: { add: ["APPROVE"] } };
    const middle = { model: calls, description: "M.", kind: "deep", subagents: ["inner"] };
    const subagents = { inner: ResolvedAgentDefinition.parse(inner), middle: ResolvedAgentDefinition.parse(middle) };
    const below = wish("task", { subagent_type: "inner", description: JSON.stringify(wish("add", { a: 7 })) });
    const manifest = deep({ subagents: ["middle"] }, { subagents });
    const asked = wish("task", { subagent_type: "middle", description: JSON.stringify(below) });
    const request = requestOf(manifest, says(JSON.stringify(asked)));
    const run = await trace(host, request);
    if (run.end.status !== "INTERRUPTED" || run.end.interrupts[0] === undefined) throw new Error(run.end.status);
    const start = { kind: "resume" as const, answers: [answer(run.end.interrupts[0], "APPROVE")] };
    const { threadId } = request;
    const resumed = await trace(host, requestOf(manifest, start, { threadId, checkpointId: run.checkpointId }));
    expect(said(resumed)).toMatch(/^Answer: Answer: Answer: Sum 8/);
  });

  it("cannot be their own", async () => {
    const loop = ResolvedAgentDefinition.parse({ model: calls, kind: "deep", subagents: ["loop"] });
    const run = await ask(deep({ subagents: ["loop"] }, { subagents: { loop } }), wish("none"));
    expect(failureOf(run)).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(/of itself/) });
  });
});

it("says of a sandbox that executes commands that there is none", async () => {
  const run = await ask(deep({ sandboxProfile: "box" }), wish("none"));
  expect(failureOf(run)).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(/executes commands/) });
});
