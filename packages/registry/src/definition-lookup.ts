import type { AgentSource, ConfigKind } from "@wheelhouse/domain";

/** A definition that was found for a name, wherever it comes from. */
export interface FoundDefinition {
  kind: ConfigKind;
  name: string;
  source: AgentSource;
  /** As it was written. Of agents in code, what they say of themselves. */
  definition: Record<string, unknown>;
  /** Null for files and code, which have no history here. */
  revision: number | null;
  digest: string;
  /** Where it came from: a file relative to the workspace, or `API`. */
  place: string;
}

/** What names mean at one scope. */
export interface DefinitionLookup {
  /** Of these names those that mean something, each once. */
  find(names: readonly { kind: ConfigKind; name: string }[]): Promise<readonly FoundDefinition[]>;
  /** Every provider that there is at the scope. */
  providers(): Promise<readonly FoundDefinition[]>;
  /** Whether the host program registered a tool of this name. */
  hasHostTool(name: string): boolean;
}

/** A definition that every scope shares: of a workspace file, or of the host program. */
export interface SharedDefinition extends FoundDefinition {
  source: "FILE" | "CODE";
  revision: null;
  /** When the file was written; when the process began, for code. */
  updatedAt: Date;
}
