import type { AgentSource, BusyPolicy, ConfigKind, Manifest, ResolvedAgentDefinition, Scope } from "@wheelhouse/domain";
import type { RegistryLimits } from "./code-agent.ts";
import type { SharedDefinition } from "./definition-lookup.ts";

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
  definition: ResolvedAgentDefinition | null;
  manifest: Manifest;
  /** SHA-256 hex of the manifest's canonical JSON. */
  manifestDigest: string;
}

/** What every scope of every project shares: the workspace's files and the host program. Nobody changes it by the API. */
export interface AgentRegistry {
  /** The shared agent of this name as it runs where nothing else is defined. Null when there is none. */
  resolveAgent(name: string, scope: Scope): Promise<ResolvedAgent | null>;
  /** Every agent that comes from workspace files or code. */
  sharedAgents(): Promise<ResolvedAgent[]>;
  /** The shared definitions of a name: a file's, then that of the code. */
  shared(kind: ConfigKind, name: string): readonly SharedDefinition[];
  /** Every shared definition, by kind and name. */
  allShared(): readonly SharedDefinition[];
  hasHostTool(name: string): boolean;
  readonly limits: RegistryLimits;
  /** Grows whenever the workspace was read again: whoever keeps what was resolved forgets it then. */
  readonly generation: number;
}
