import { z } from "zod";
import { configKinds } from "../enumerations.ts";
import { looksSecret } from "../redact.ts";
import { AgentDefinition } from "./agent.ts";
import { DefaultsDefinition } from "./defaults.ts";
import { McpServerDefinition } from "./mcp-server.ts";
import { ProviderDefinition } from "./provider.ts";
import { SandboxProfileDefinition } from "./sandbox-profile.ts";
import { SkillDefinition } from "./skill.ts";
import { ToolDefinition } from "./tool.ts";

export const ConfigKind = z.enum(configKinds);
export type ConfigKind = z.infer<typeof ConfigKind>;

/** The schema of each kind's definition. */
export const definitionSchemas = {
  PROVIDER: ProviderDefinition,
  TOOL: ToolDefinition,
  SKILL: SkillDefinition,
  AGENT: AgentDefinition,
  MCP_SERVER: McpServerDefinition,
  SANDBOX_PROFILE: SandboxProfileDefinition,
  DEFAULTS: DefaultsDefinition,
} as const satisfies Record<ConfigKind, z.ZodType>;

/** A definition of each kind, as it is used: defaults filled in. */
export type Definitions = { [Kind in ConfigKind]: z.infer<(typeof definitionSchemas)[Kind]> };

/** One thing that is wrong with a definition. */
export interface ConfigIssue {
  /** Where: `tools[2]`, `model.baseUrl`; empty for the definition as a whole. */
  path: string;
  message: string;
}

export type CheckedDefinition<Kind extends ConfigKind> =
  | { definition: Definitions[Kind]; issues: [] }
  | { definition: null; issues: ConfigIssue[] };

/** Checks a definition by itself: its fields, and that it holds no secret. References are checked where others are known. */
export function checkDefinition<Kind extends ConfigKind>(kind: Kind, value: unknown): CheckedDefinition<Kind> {
  const parsed = definitionSchemas[kind].safeParse(value);
  const secrets = secretsIn(value, []).map((path) => ({
    path: pathText(path),
    message: "looks like a secret; definitions are stored and shown: name an environment variable instead",
  }));
  const issues = [
    ...(parsed.success
      ? []
      : parsed.error.issues.map((issue) => ({ path: pathText(issue.path), message: issue.message }))),
    ...secrets,
  ];
  if (!parsed.success || issues.length > 0) return { definition: null, issues };
  // The schema of the kind gave it; TypeScript does not follow the index.
  return { definition: parsed.data as Definitions[Kind], issues: [] };
}

/** JSON Schema (2020-12) of what is written in a kind's definitions, for editors. */
export const jsonSchemaOfKind = (kind: ConfigKind): Record<string, unknown> =>
  z.toJSONSchema(definitionSchemas[kind], { io: "input", unrepresentable: "any" });

/** `tools[2].name` for `["tools", 2, "name"]`; keys that are no plain names stand in brackets. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    const name = String(key);
    if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === "" ? name : `${text}.${name}`;
  }, "");
}

/** The keys of a path as `pathText` writes it. */
export function pathKeys(path: string): (string | number)[] {
  const parts = path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g);
  return [...parts].flatMap(([, index, quoted, name]): (string | number)[] => {
    if (index !== undefined) return [Number(index)];
    return quoted === undefined ? [name ?? ""] : [String(JSON.parse(quoted))];
  });
}

/** Every place whose text has the form of a secret. Prompts and skills are text too: a key pasted there is found as well. */
function secretsIn(value: unknown, path: readonly PropertyKey[]): PropertyKey[][] {
  if (typeof value === "string") return looksSecret(value) ? [[...path]] : [];
  if (Array.isArray(value)) return value.flatMap((item, i) => secretsIn(item, [...path, i]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => secretsIn(item, [...path, key]));
}
