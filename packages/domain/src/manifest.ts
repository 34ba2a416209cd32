import { z } from "zod";
import { ResolvedAgentDefinition } from "./config/agent.ts";
import { McpServerDefinition } from "./config/mcp-server.ts";
import { SandboxProfileDefinition } from "./config/sandbox-profile.ts";
import { SkillDefinition } from "./config/skill.ts";
import { ToolDefinition } from "./config/tool.ts";
import { AgentSource } from "./status.ts";

/**
 * The redacted, fully resolved definition a run executes, pinned when it is submitted.
 * Holds names of environment variables, never their values, and no URL with credentials.
 */
export const Manifest = z.object({
  agent: z.string(),
  source: AgentSource,
  revision: z.int().nullable(),
  /** SHA-256 hex of the canonical JSON of the definition; for agents in code, of their declared description. */
  digest: z.string(),
  definition: ResolvedAgentDefinition.nullable(),
  /** The definitions of the subagents it names, theirs included, by name. */
  subagents: z.record(z.string(), ResolvedAgentDefinition).optional(),
  /** The definitions of what it and its subagents name, by name. Tools that the host program registered have none. */
  tools: z.record(z.string(), ToolDefinition).optional(),
  skills: z.record(z.string(), SkillDefinition).optional(),
  mcpServers: z.record(z.string(), McpServerDefinition).optional(),
  sandboxProfiles: z.record(z.string(), SandboxProfileDefinition).optional(),
  /** Where each part came from, for example `{"agent": ".wheelhouse/agents/guide.md"}`. */
  sources: z.record(z.string(), z.string()),
  limits: z.object({
    recursionLimit: z.int(),
    /** Whole run, seconds. */
    timeoutSeconds: z.number(),
    /** Longest tool output kept, bytes. */
    maxPayloadBytes: z.int(),
    /** How long a human may take to answer, seconds; the installation's own time when absent. */
    interruptTtlSeconds: z.number().optional(),
  }),
  recordPayloads: z.boolean(),
});
export type Manifest = z.infer<typeof Manifest>;
