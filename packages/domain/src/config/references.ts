import type { ConfigKind } from "./kinds.ts";
import { pathText } from "./kinds.ts";

/** A name that a definition uses: where it stands and what it must be. */
export interface DefinitionReference {
  path: string;
  kind: ConfigKind;
  name: string;
}

/** The fields of an agent, or of a project's defaults for agents, that name other definitions. */
const agentFields = {
  tools: "TOOL",
  skills: "SKILL",
  subagents: "AGENT",
  mcpServers: "MCP_SERVER",
  provider: "PROVIDER",
  sandboxProfile: "SANDBOX_PROFILE",
} as const satisfies Record<string, ConfigKind>;

/** Every definition that a checked definition names. Tools that the host program registered are named like any other. */
export function referencesOf(kind: ConfigKind, definition: Readonly<Record<string, unknown>>): DefinitionReference[] {
  if (kind === "AGENT") return fieldReferences(definition, []);
  if (kind !== "DEFAULTS") return [];
  const { provider, agent } = definition;
  const ofAgents = typeof agent === "object" && agent !== null ? fieldReferences({ ...agent }, ["agent"]) : [];
  return [...named(provider, ["provider"], "PROVIDER"), ...ofAgents];
}

function fieldReferences(
  definition: Readonly<Record<string, unknown>>,
  before: readonly PropertyKey[],
): DefinitionReference[] {
  return Object.entries(agentFields).flatMap(([field, kind]) => {
    const value = definition[field];
    const path = [...before, field];
    if (Array.isArray(value)) return value.flatMap((name, i) => named(name, [...path, i], kind));
    return named(value, path, kind);
  });
}

const named = (name: unknown, path: readonly PropertyKey[], kind: ConfigKind): DefinitionReference[] =>
  typeof name === "string" ? [{ path: pathText(path), kind, name }] : [];
