import { tool } from "@langchain/core/tools";
import { defineConfig } from "@wheelhouse/registry";
import { ScriptedModel } from "@wheelhouse/runtime/scripted";
import { createAgent, humanInTheLoopMiddleware } from "langchain";
import { z } from "zod";

const words = (count: number): string[] => Array.from({ length: count }, (_, i) => `word${i} `);

const charge = tool(async ({ amount }: { amount: number }) => `charged ${amount}`, {
  name: "charge",
  description: "Charges an amount.",
  schema: z.object({ amount: z.number() }),
});

/** The agents that the API's tests talk to: one that answers, one that takes its time, one typed, one that asks first. */
export default defineConfig({
  agents: {
    echo: {
      displayName: "Echo",
      graph: createAgent({ model: new ScriptedModel({ turns: [{ content: "Hello back" }] }), tools: [] }),
    },
    slow: {
      graph: createAgent({
        model: new ScriptedModel({ turns: [{ content: words(120) }], delayMs: 25 }),
        tools: [],
      }),
    },
    stuck: {
      graph: createAgent({
        model: new ScriptedModel({ turns: [{ content: "wait", hang: "until-abort" }] }),
        tools: [],
      }),
    },
    typed: {
      inputSchema: {
        type: "object",
        required: ["messages", "city"],
        properties: { city: { type: "string" }, messages: { type: "array" } },
      },
      graph: createAgent({ model: new ScriptedModel({ turns: [{ content: "typed" }] }), tools: [] }),
    },
    cashier: {
      graph: createAgent({
        model: new ScriptedModel({
          turns: [{ toolCalls: [{ name: "charge", args: { amount: 5 } }] }, { content: "Charged." }],
        }),
        tools: [charge],
        middleware: [
          humanInTheLoopMiddleware({ interruptOn: { charge: { allowedDecisions: ["approve", "edit", "reject"] } } }),
        ],
      }),
    },
  },
});
