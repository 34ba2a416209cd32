import { z } from "zod";
import { BusyPolicy, Decision } from "../status.ts";
import { MiddlewareDefinition } from "./middleware.ts";
import { EntityName, JsonSchema, PublicUrl, ToolName } from "./names.ts";
import { ModelSelection } from "./provider.ts";

export const agentModes = ["PRIMARY", "SUBAGENT", "ALL"] as const;
export type AgentMode = (typeof agentModes)[number];

const unique = (names: readonly string[]): boolean => new Set(names).size === names.length;
const namesOf = (most: number) => z.array(EntityName).max(most).refine(unique, "a name is given twice");

/** An absolute path or pattern in the agent's files. */
const FilePath = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^(?!.*\/\.\.(?:\/|$))\/[^\0]*$/, "is an absolute path without ..");

const Permission = z.strictObject({
  operations: z
    .array(z.enum(["read", "write"]))
    .min(1)
    .max(2),
  paths: z.array(FilePath).min(1).max(100),
  mode: z.enum(["allow", "deny"]).default("allow"),
});
export type Permission = z.infer<typeof Permission>;

const ContextPolicy = z.strictObject({
  /** What a model is given at most, tokens. */
  maxInputTokens: z.int().positive().optional(),
  /** Longer results of tools are put into a file that the agent can read, tokens. */
  toolTokenLimitBeforeEvict: z.int().positive().optional(),
  summarizationEnabled: z.boolean().default(true),
});

const mediaType = z
  .string()
  .max(200)
  .regex(/^[\w.+-]+\/[\w.+*-]+$/, "is a media type such as text/plain");
const AgentCard = z.strictObject({
  exposed: z.boolean().default(false),
  publicInterfaceUrl: PublicUrl.optional(),
  defaultInputModes: z.array(mediaType).min(1).optional(),
  defaultOutputModes: z.array(mediaType).min(1).optional(),
  skills: z
    .array(
      z.strictObject({
        id: EntityName,
        name: z.string().min(1).max(200),
        description: z.string().min(1).max(2000),
        tags: z.array(z.string().min(1).max(100)).min(1).refine(unique, "a tag is given twice"),
        examples: z.array(z.string().min(1).max(2000)).optional(),
      }),
    )
    .max(100)
    .refine((skills) => unique(skills.map(({ id }) => id)), "an id is given twice")
    .optional(),
});

const fields = {
  displayName: z.string().min(1).max(200).optional(),
  description: z.string().max(2000).optional(),
  /** Whether people run it, other agents hand work to it, or both. */
  mode: z.enum(agentModes).default("ALL"),
  /** Hidden agents can be run but are not offered. */
  hidden: z.boolean().default(false),
  kind: z.enum(["react", "deep"]).default("react"),
  systemPrompt: z.string().max(200_000).default(""),
  /** The model itself. Without it, the provider says. */
  model: ModelSelection.optional(),
  /** The name of a provider; the project's default one, then the one of lowest priority, when neither is given. */
  provider: EntityName.optional(),
  /** Over the provider's. */
  temperature: z.number().min(0).max(2).optional(),
  /** Longest answer, tokens; over the provider's. */
  maxTokens: z.int().positive().optional(),
  /** Names of tools: of the registry, or of those that the host program registered. */
  tools: z.array(ToolName).max(200).refine(unique, "a name is given twice").default([]),
  /** Tools that the model does not see. */
  excludedTools: z.array(ToolName).max(200).default([]),
  /** Tools whose calls are refused. */
  blockedTools: z.array(ToolName).max(200).default([]),
  skills: namesOf(100).default([]),
  subagents: namesOf(50).default([]),
  mcpServers: namesOf(50).default([]),
  /** Tools that wait for a human first, with the decisions that are allowed. */
  interruptOn: z.record(ToolName, z.array(Decision).min(1).refine(unique, "a decision is given twice")).default({}),
  /** False for tools that are not called again when a crash left it open whether they did their work. */
  repeatable: z.record(ToolName, z.boolean()).optional(),
  /** What of its files the agent may read and write; the first that fits decides, and none allows. */
  permissions: z.array(Permission).max(100).default([]),
  middleware: z.array(MiddlewareDefinition).max(20).default([]),
  contextPolicy: ContextPolicy.optional(),
  /** Files whose text is part of every prompt, such as /memories/AGENTS.md. */
  memory: z.array(FilePath).max(20).default([]),
  sandboxProfile: EntityName.optional(),
  /** Files that the agent publishes as artifacts. */
  publication: z
    .strictObject({
      enabled: z.boolean().default(true),
      maxBytes: z.int().positive().max(10_485_760).default(10_485_760),
    })
    .optional(),
  inputSchema: JsonSchema.optional(),
  responseFormat: JsonSchema.optional(),
  recursionLimit: z.int().min(1).max(10_000).default(100),
  timeoutSeconds: z.number().positive().max(86_400).default(600),
  /** How long a human may take to answer, seconds; the installation's own time when absent. */
  interruptTtlSeconds: z.number().positive().max(31_536_000).optional(),
  busyPolicy: BusyPolicy.default("REJECT"),
  recordPayloads: z.boolean().default(true),
  /** What one run may use; it fails when it has used more. */
  budget: z.strictObject({ tokensPerRun: z.int().positive() }).optional(),
  /** How the agent introduces itself to other agents. */
  a2a: AgentCard.optional(),
};

const oneModel = ({ model, provider }: { model?: unknown; provider?: unknown }): boolean =>
  model === undefined || provider === undefined;
const oneModelMessage = { message: "give model or provider, not both", path: ["provider"] };

/** A declarative agent: a Deep Agent (`kind: deep`) or a plain LangChain agent with tools (`kind: react`). */
export const AgentDefinition = z.strictObject(fields).refine(oneModel, oneModelMessage);
export type AgentDefinition = z.infer<typeof AgentDefinition>;

/** An agent as a run executes it: its model is settled. */
export const ResolvedAgentDefinition = z.strictObject({ ...fields, model: ModelSelection });
export type ResolvedAgentDefinition = z.infer<typeof ResolvedAgentDefinition>;
