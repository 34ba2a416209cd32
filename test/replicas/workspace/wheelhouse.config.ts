import { tool } from "@langchain/core/tools";
import { defineConfig } from "@wheelhouse/registry";
import { ScriptedModel } from "@wheelhouse/runtime/scripted";
import { createAgent } from "langchain";
import { z } from "zod";

const words = (count: number): string[] => Array.from({ length: count }, (_, i) => `word${i} `);

/** Waits until the run is stopped. */
const longTool = tool(
  (_args, { signal }: { signal?: AbortSignal }) =>
    new Promise<string>((_resolve, reject) =>
      signal?.addEventListener("abort", () => reject(new Error("the tool was stopped")), { once: true }),
    ),
  { name: "wait_long", description: "Waits until it is stopped.", schema: z.object({}) },
);

/** The agents of the tests with many processes. */
export default defineConfig({
  agents: {
    /** Answers at once. */
    echo: { graph: createAgent({ model: new ScriptedModel({ turns: [{ content: "Hello back" }] }), tools: [] }) },
    /** Streams 120 words in about three seconds. */
    slow: {
      graph: createAgent({ model: new ScriptedModel({ turns: [{ content: words(120) }], delayMs: 25 }), tools: [] }),
      // Time counts over takeovers, and storms take it over again and again.
      timeoutSeconds: 7_200,
    },
    /** Says a word and then nothing more until it is stopped. */
    stuck: {
      graph: createAgent({
        model: new ScriptedModel({ turns: [{ content: "wait", hang: "until-abort" }] }),
        tools: [],
      }),
    },
    /** Calls a tool that does not come back until it is stopped. */
    toiler: {
      graph: createAgent({
        model: new ScriptedModel({ turns: [{ toolCalls: [{ name: "wait_long", args: {} }] }, { content: "Done." }] }),
        tools: [longTool],
      }),
    },
  },
});
