import { z } from "zod";
import { ToolName } from "./names.ts";

const Tools = z.array(ToolName).min(1).max(200);

/** What stands around an agent's model and tools. */
export const MiddlewareDefinition = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("tool_retry"),
    maxRetries: z.int().min(1).max(10).default(2),
    /** Only these; every tool when absent. */
    tools: Tools.optional(),
  }),
  z
    .strictObject({
      type: z.literal("tool_call_limit"),
      /** Only this tool; all together when absent. */
      tool: ToolName.optional(),
      /** Calls in one run. */
      runLimit: z.int().positive().optional(),
      /** Calls in the whole conversation. */
      threadLimit: z.int().positive().optional(),
    })
    .refine(
      ({ runLimit, threadLimit }) => runLimit !== undefined || threadLimit !== undefined,
      "give runLimit, threadLimit or both",
    ),
  z.strictObject({
    type: z.literal("model_call_limit"),
    /** Model calls in one run. */
    runLimit: z.int().positive(),
  }),
  z.strictObject({
    type: z.literal("pii"),
    kind: z.enum(["email", "credit_card", "ip", "mac_address", "url"]),
    strategy: z.enum(["redact", "mask", "hash", "block"]).default("redact"),
    applyToOutput: z.boolean().default(false),
    applyToToolResults: z.boolean().default(false),
  }),
  z.strictObject({
    type: z.literal("summarization"),
    /** A longer conversation is summarized, tokens. */
    maxTokens: z.int().min(1000),
    /** The latest messages that stay as they are. */
    keepMessages: z.int().min(1).max(1000).default(20),
  }),
]);
export type MiddlewareDefinition = z.infer<typeof MiddlewareDefinition>;
