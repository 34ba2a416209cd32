import { tool } from "@langchain/core/tools";
import { createScriptedModel } from "@wheelhouse/runtime/scripted";
import type { NewInterrupt } from "@wheelhouse/storage";
import { createAgent, humanInTheLoopMiddleware } from "langchain";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { answer, manifestOf, requestOf, says, testHost, trace } from "./run-in-host.ts";

const done: string[] = [];
const act = (name: string) =>
  tool(
    ({ to }) => {
      done.push(`${name} ${to}`);
      return `${name} was done for ${to}.`;
    },
    { name, description: `Does ${name}.`, schema: z.object({ to: z.string().min(2) }) },
  );
const tools = [act("mail"), act("pay"), act("look")];

/** Wants all three at once, then says what came back. */
const model = createScriptedModel({
  turns: (messages) =>
    messages.some((message) => message.getType() === "tool")
      ? {
          content: `Seen: ${messages
            .filter((m) => m.getType() === "tool")
            .map((m) => m.text)
            .join(" | ")}`,
        }
      : { toolCalls: ["mail", "look", "pay"].map((name) => ({ name, args: { to: "ann" }, id: `call_${name}` })) },
});

const host = testHost({
  codeAgents: {
    langchain: {
      graph: createAgent({
        model,
        tools,
        middleware: [
          humanInTheLoopMiddleware({
            interruptOn: {
              mail: { allowedDecisions: ["approve", "reject"] },
              pay: { allowedDecisions: ["approve", "edit", "reject"] },
            },
          }),
        ],
      }),
    },
  },
});
afterAll(() => host[Symbol.asyncDispose]());

describe("several calls that LangChain's middleware asks about at once", () => {
  const manifest = manifestOf("langchain");
  const ask = async () => {
    const request = requestOf(manifest, says("Go."));
    const run = await trace(host, request);
    if (run.end.status !== "INTERRUPTED") throw new Error(run.end.status);
    const [mail, pay] = run.end.interrupts;
    if (mail === undefined || pay === undefined) throw new Error("two calls wait");
    const resume = (answers: ReturnType<typeof answer>[]) =>
      trace(
        host,
        requestOf(
          manifest,
          { kind: "resume", answers },
          { threadId: request.threadId, checkpointId: run.checkpointId },
        ),
      );
    return { interrupts: run.end.interrupts, mail, pay, resume };
  };
  beforeEach(() => {
    done.length = 0;
  });

  it("are a row each, with the decisions and the schema of its own tool", async () => {
    const { interrupts } = await ask();
    const shown = ({ actionRequests, allowedDecisions }: NewInterrupt) => ({ actionRequests, allowedDecisions });
    const argsSchema = { type: "object", properties: { to: { type: "string", minLength: 2 } } };
    expect(interrupts.map(shown)).toMatchObject([
      { actionRequests: [{ name: "mail", args: { to: "ann" }, argsSchema }], allowedDecisions: ["APPROVE", "REJECT"] },
      { actionRequests: [{ name: "pay", argsSchema }], allowedDecisions: ["APPROVE", "EDIT", "REJECT"] },
    ]);
    expect(new Set(interrupts.map(({ interruptId }) => interruptId)).size).toBe(2);
  });

  it("go on with each answer at its place, in whatever order they are given", async () => {
    const { mail, pay, resume } = await ask();
    const run = await resume([answer(pay, "EDIT", { to: "bob" }), answer(mail, "APPROVE")]);
    expect(run.end.status).toBe("SUCCEEDED");
    expect(done.sort()).toEqual(["look ann", "mail ann", "pay bob"]);
  });
});
