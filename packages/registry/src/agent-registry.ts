import type { AgentDefinition, AgentSource, BusyPolicy, Manifest, Scope } from "@wheelhouse/domain";

/** An agent as it would run now for a scope. */
export interface ResolvedAgent {
  name: string;
  displayName: string;
  description: string | null;
  source: AgentSource;
  /** JSON Schema of the input, or null when anything goes (chat agents take `{messages}`). */
  inputSchema: Record<string, unknown> | null;
  outputSchema: Record<string, unknown> | null;
  busyPolicy: BusyPolicy;
  /** Null for agents in code. */
  definition: AgentDefinition | null;
  manifest: Manifest;
  /** SHA-256 hex of the manifest's canonical JSON. */
  manifestDigest: string;
}

export interface AgentRegistry {
  /** Null when no such agent exists for the scope. */
  resolveAgent(name: string, scope: Scope): Promise<ResolvedAgent | null>;
  /** Every agent that comes from workspace files or code. */
  sharedAgents(): Promise<ResolvedAgent[]>;
}
