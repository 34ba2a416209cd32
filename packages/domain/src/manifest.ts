import { z } from "zod";
import { AgentDefinition } from "./agent-definition.ts";
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
  definition: AgentDefinition.nullable(),
  /** The definitions of the subagents it names, theirs included, by name. */
  subagents: z.record(z.string(), AgentDefinition).optional(),
  /** Where each part came from, for example `{"agent": ".wheelhouse/agents/guide.md"}`. */
  sources: z.record(z.string(), z.string()),
  limits: z.object({
    recursionLimit: z.int(),
    /** Whole run, seconds. */
    timeoutSeconds: z.number(),
    /** Longest tool output kept, bytes. */
    maxPayloadBytes: z.int(),
  }),
  recordPayloads: z.boolean(),
});
export type Manifest = z.infer<typeof Manifest>;
