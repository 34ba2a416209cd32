import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, MemorySaver } from "@langchain/langgraph";
import type { InterruptRecord, NewInterrupt } from "@wheelhouse/storage";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type AskingTool, approvals } from "./approvals.ts";
import { toNewInterrupts, toResume } from "./interrupts.ts";
import { createScriptedModel } from "./scripted-model.ts";

const argsSchema = { type: "object", properties: { to: { type: "string" } }, required: ["to"] };
const asking: ReadonlyMap<string, AskingTool> = new Map([
  ["mail", { allowed: ["APPROVE", "REJECT", "RESPOND"], description: "Sends a mail.", argsSchema }],
  ["pay", { allowed: ["APPROVE", "EDIT", "REJECT"], description: "Pays.", argsSchema: null }],
]);

/** An agent that wants to send a mail, pay and look at once. */
async function ask() {
  const done: string[] = [];
  const act = (name: string) =>
    tool(
      ({ to }) => {
        done.push(`${name} ${to}`);
        return `${name} done`;
      },
      { name, description: name, schema: z.object({ to: z.string() }) },
    );
  const model = createScriptedModel({
    turns: (messages) => {
      const answers = messages.filter((message) => message.getType() === "tool");
      if (answers.length > 0) return { content: answers.map((message) => message.text).join(" | ") };
      return { toolCalls: ["mail", "look", "pay"].map((name) => ({ name, args: { to: "ann" }, id: `call_${name}` })) };
    },
  });
  const agent = createAgent({
    model,
    tools: [act("mail"), act("pay"), act("look")],
    middleware: approvals(asking),
    checkpointer: new MemorySaver(),
  });
  const config = { configurable: { thread_id: "t" } };
  const asked: unknown = await agent.invoke({ messages: [new HumanMessage("Go.")] }, config);
  const found = z.object({ __interrupt__: z.array(z.object({ id: z.string(), value: z.unknown() })) }).parse(asked);
  let ids = 0;
  const interrupts = toNewInterrupts(found.__interrupt__, {
    ...{ newId: () => `row-${ids++}`, expiresAt: null, maxPayloadBytes: 10_000, argsSchemaOf: () => null },
  });
  const answer = async (...given: [NewInterrupt["allowedDecisions"][number], unknown?][]) => {
    const answers = interrupts.map((interrupt, i): InterruptRecord => {
      const [decision, decisionValue] = given[i] ?? ["APPROVE"];
      const when = { requestedAt: new Date(0), decidedAt: new Date(1), decidedBy: "Ada", closedAt: null };
      return { ...interrupt, ...when, runId: "r", taskId: "t", sessionId: "s", decision, decisionValue };
    });
    const state = await agent.invoke(new Command({ resume: toResume(answers) ?? {} }), config);
    return { said: state.messages.at(-1)?.text, messages: state.messages };
  };
  return { interrupts, done, answer };
}

describe("an agent that asks before it calls tools", () => {
  it("asks for each call with what is allowed for its tool", async () => {
    const { interrupts, done } = await ask();
    expect(interrupts).toMatchObject([
      {
        kind: "TOOL_APPROVAL",
        actionRequests: [{ name: "mail", args: { to: "ann" }, description: "Sends a mail.", argsSchema }],
        allowedDecisions: ["APPROVE", "REJECT", "RESPOND"],
      },
      { actionRequests: [{ name: "pay", description: "Pays." }], allowedDecisions: ["APPROVE", "EDIT", "REJECT"] },
    ]);
    expect(done).toEqual([]);
  });

  it("makes the approved call although the other one is rejected", async () => {
    const { done, answer } = await ask();
    const { said } = await answer(["APPROVE"], ["REJECT", "Not on a Sunday."]);
    expect(done.sort()).toEqual(["look ann", "mail ann"]);
    expect(said).toContain("Not on a Sunday.");
    expect(said).toContain("mail done");
  });

  it("makes an edited call with its new arguments, and the transcript says so", async () => {
    const { done, answer } = await ask();
    const { messages } = await answer(["APPROVE"], ["EDIT", { to: "bob" }]);
    expect(done.sort()).toEqual(["look ann", "mail ann", "pay bob"]);
    const calls: unknown = Reflect.get(messages[1] ?? {}, "tool_calls");
    expect(calls).toMatchObject([
      { args: { to: "ann" } },
      { args: { to: "ann" } },
      { name: "pay", args: { to: "bob" } },
    ]);
  });

  it("takes a human's answer for the tool's", async () => {
    const { done, answer } = await ask();
    const { said, messages } = await answer(["RESPOND", "It was sent by hand."], ["APPROVE"]);
    expect(done.sort()).toEqual(["look ann", "pay ann"]);
    expect(said).toContain("It was sent by hand.");
    const own = messages.find((message) => Reflect.get(message, "tool_call_id") === "call_mail");
    expect(Reflect.get(own ?? {}, "status")).not.toBe("error");
  });
});
