import { tool } from "@langchain/core/tools";
import { ResolvedAgentDefinition } from "@wheelhouse/domain";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { answer, manifestOf, requestOf, says, stepTree, testHost, trace } from "./run-in-host.ts";

const sent: unknown[] = [];
const sendEmail = tool(
  (email) => {
    sent.push(email);
    return "The email was sent.";
  },
  {
    name: "send_email",
    description: "Sends an email.",
    schema: z.object({ to: z.string(), subject: z.string(), body: z.string() }),
  },
);
const searchDocs = tool(
  ({ query }) =>
    JSON.stringify([{ path: "docs/events.md", excerpt: `Events are an append-only log. You asked for ${query}.` }]),
  { name: "search_docs", description: "Searches the documentation.", schema: z.object({ query: z.string() }) },
);
const calculator = tool(
  ({ expression }) => String(expression.split("*").reduce((a: number, b: string) => a * Number(b), 1)),
  {
    name: "calculator",
    description: "Computes.",
    schema: z.object({ expression: z.string() }),
  },
);

const model = { provider: "scripted", model: "guide" } as const;
const guideDefinition = {
  model,
  systemPrompt: "You help.",
  tools: ["send_email", "search_docs", "calculator"],
  interruptOn: { send_email: ["APPROVE", "EDIT", "REJECT"] },
};
const researcher = ResolvedAgentDefinition.parse({
  model,
  description: "Reads the documents.",
  tools: ["search_docs"],
});

const host = testHost({
  tools: [sendEmail, searchDocs, calculator],
  loadSubagent: async (name) => (name === "researcher" ? researcher : null),
});
afterAll(() => host[Symbol.asyncDispose]());

describe("a react agent from a definition", () => {
  it("looks a question up and answers with the source", async () => {
    const run = await trace(
      host,
      requestOf(manifestOf("guide", guideDefinition), says("How does the event log work?")),
    );
    expect(run.end.status).toBe("SUCCEEDED");
    expect(run.steps.some((step) => step.kind === "TOOL" && step.name === "search_docs")).toBe(true);
    expect(run.messages.at(-1)?.content).toContain("append-only log");
    expect(run.messages.at(-1)?.content).toContain("docs/events.md");
  });

  it.each([
    ["Hello!", /^Hello!/],
    ["What is 6 x 7?", /\*\*42\*\*/],
    ["Thanks", /You are welcome/],
    ["Hmm", /These are the things I can do/],
  ])("answers %j", async (text, expected) => {
    const run = await trace(host, requestOf(manifestOf("guide", guideDefinition), says(text)));
    expect(run.messages.at(-1)?.content).toMatch(expected);
  });

  const ask = async () => {
    const request = requestOf(
      manifestOf("guide", guideDefinition),
      says('Send an email to ann@example.com about "Lunch"'),
    );
    const run = await trace(host, request);
    if (run.end.status !== "INTERRUPTED") throw new Error(run.end.status);
    const [interrupt] = run.end.interrupts;
    if (interrupt === undefined) throw new Error("nothing was asked");
    return { at: { threadId: request.threadId, checkpointId: run.checkpointId }, interrupt };
  };
  const resume = (at: { threadId: string; checkpointId: string | null }, answers: ReturnType<typeof answer>[]) =>
    trace(host, requestOf(manifestOf("guide", guideDefinition), { kind: "resume", answers }, at));

  it("waits before a tool that needs approval, and runs it when approved", async () => {
    sent.length = 0;
    const { at, interrupt } = await ask();
    expect(interrupt).toMatchObject({
      kind: "TOOL_APPROVAL",
      allowedDecisions: ["APPROVE", "EDIT", "REJECT"],
      actionRequests: [{ name: "send_email", args: { to: "ann@example.com", subject: "Lunch" } }],
    });
    expect(sent).toEqual([]);
    const run = await resume(at, [answer(interrupt, "APPROVE")]);
    expect(run.end.status).toBe("SUCCEEDED");
    expect(sent).toMatchObject([{ to: "ann@example.com" }]);
  });

  it("runs it with edited arguments", async () => {
    sent.length = 0;
    const { at, interrupt } = await ask();
    const edited = { to: "bob@example.com", subject: "Dinner", body: "At eight." };
    const run = await resume(at, [answer(interrupt, "EDIT", edited)]);
    expect(run.end.status).toBe("SUCCEEDED");
    expect(sent).toEqual([edited]);
  });

  it("does not run it when rejected, and the agent reads why", async () => {
    sent.length = 0;
    const { at, interrupt } = await ask();
    const run = await resume(at, [answer(interrupt, "REJECT", "Not before noon.")]);
    expect(run.end.status).toBe("SUCCEEDED");
    expect(sent).toEqual([]);
    expect(run.messages.at(-1)?.content).toContain("Not before noon.");
  });
});

describe("a deep agent with a subagent", () => {
  it("plans, delegates, and keeps the subagent's words out of the conversation", async () => {
    const definition = { kind: "deep", model, tools: [], subagents: ["researcher"] };
    const run = await trace(
      host,
      requestOf(manifestOf("deep", definition), says("Please research how the event log works.")),
    );
    expect(run.end.status).toBe("SUCCEEDED");
    const kinds = run.events.map((event) => event.type);
    expect(kinds).toContain("plan.updated");
    expect(kinds).toContain("subagent.started");
    expect(kinds).toContain("subagent.completed");
    const tree = stepTree(run.steps);
    const subagent = tree.findIndex((line) => line.trim() === "SUBAGENT researcher");
    expect(subagent).toBeGreaterThan(0);
    const inner = tree.slice(subagent + 1).filter((line) => line.startsWith("    "));
    expect(inner.some((line) => line.trim() === "TOOL search_docs")).toBe(true);
    expect(inner.some((line) => line.trim() === "MODEL scripted/guide")).toBe(true);

    const nested = run.events.find((event) => event.type === "tool.started" && event.payload.name === "search_docs");
    expect(nested?.visibility).toBe("OPERATOR");
    const own = run.messages.filter((message) => message.role === "ASSISTANT");
    expect(own.at(-1)?.content).toContain("append-only log");
    expect(own.some((message) => message.content === "Let me look that up.")).toBe(false);
    expect(run.modelCalls.length).toBe(run.steps.filter((step) => step.kind === "MODEL").length);
  });
});
