import { z } from "zod";
import { BusyPolicy, Decision } from "./status.ts";

/** Names of things an operator makes: agents, tools, providers. */
export const EntityName = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9_-]{0,98}[a-z0-9])?$/,
    "use 1 to 100 lower-case letters, digits, - and _, beginning and ending with a letter or digit",
  );

const JsonSchema = z.record(z.string(), z.unknown());

/** The model an agent calls: a provider type and the provider's own model name. */
export const ModelSelection = z.strictObject({
  provider: z.enum(["scripted", "openai", "anthropic", "google-genai", "ollama", "openai-compatible"]),
  model: z.string().min(1).max(200),
  /** The name of the environment variable that holds the key; the provider's usual one when absent. */
  apiKeyEnv: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/)
    .optional(),
  /** Only and always for openai-compatible. */
  baseUrl: z.url().optional(),
  temperature: z.number().min(0).max(2).optional(),
  maxTokens: z.int().positive().optional(),
  /** One model call, seconds. */
  timeoutSeconds: z.number().positive().max(3600).optional(),
  maxRetries: z.int().min(0).max(10).optional(),
});
export type ModelSelection = z.infer<typeof ModelSelection>;

/** A declarative agent: a Deep Agent (`kind: deep`) or a plain LangChain agent with tools (`kind: react`). */
export const AgentDefinition = z.strictObject({
  displayName: z.string().min(1).max(200).optional(),
  description: z.string().max(2000).optional(),
  kind: z.enum(["react", "deep"]).default("react"),
  systemPrompt: z.string().max(200_000).default(""),
  model: ModelSelection,
  /** Names of tools that the host program registered. */
  tools: z.array(EntityName).max(200).default([]),
  subagents: z.array(EntityName).max(50).default([]),
  /** Tools that wait for a human first, with the decisions that are allowed. */
  interruptOn: z.record(EntityName, z.array(Decision).min(1)).default({}),
  inputSchema: JsonSchema.optional(),
  responseFormat: JsonSchema.optional(),
  recursionLimit: z.int().min(1).max(10_000).default(100),
  timeoutSeconds: z.number().positive().max(86_400).default(600),
  busyPolicy: BusyPolicy.default("REJECT"),
  recordPayloads: z.boolean().default(true),
});
export type AgentDefinition = z.infer<typeof AgentDefinition>;
