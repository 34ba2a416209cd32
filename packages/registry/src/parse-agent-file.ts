import { AgentDefinition, looksSecret } from "@wheelhouse/domain";
import { type Document, isNode, isScalar, LineCounter, parse, parseDocument, visit } from "yaml";
import type { RegistryIssue } from "./registry-issue.ts";
import { type Environment, hasVariables, substituteVariables } from "./substitute-variables.ts";

/** Larger files are not definitions. Bytes. */
export const maxFileBytes = 1_000_000;
/** Uses of YAML aliases in one file; a bomb needs many more. */
const maxAliasCount = 50;

export interface AgentFile {
  /** Relative to the workspace. */
  file: string;
  text: string;
  env: Environment;
}

export type ParsedAgentFile =
  | { definition: AgentDefinition; issues: [] }
  | { definition: null; issues: RegistryIssue[] };

/** Reads an agent's file: YAML, or Markdown with YAML front matter whose body is the system prompt. */
export function parseAgentFile({ file, text, env }: AgentFile): ParsedAgentFile {
  const refuse = (line: number | null, message: string): ParsedAgentFile => ({
    definition: null,
    issues: [{ file, line, message }],
  });
  const parts = file.endsWith(".md") ? splitFrontMatter(text) : { yaml: text, firstLine: 1, body: null };
  if (parts === null)
    return refuse(1, "begin with front matter: a line ---, the fields in YAML, a line ---, the prompt");
  const lines = new LineCounter();
  const document = parseDocument(parts.yaml, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number): number => lines.linePos(offset).line + parts.firstLine - 1;
  const [broken] = document.errors;
  if (broken !== undefined) return refuse(lineAt(broken.pos[0]), broken.message);
  const wrong = resolveScalars(document, env);
  if (wrong !== null) return refuse(lineAt(wrong.offset), wrong.message);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount });
  } catch (error) {
    return refuse(null, error instanceof Error ? error.message : String(error));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return refuse(parts.firstLine, "must be a mapping of fields");
  return checkDefinition({ file, document, lineAt, value: { ...value }, body: parts.body });
}

interface ReadFile {
  file: string;
  document: Document;
  lineAt: (offset: number) => number;
  value: Record<string, unknown>;
  body: string | null;
}

function checkDefinition({ file, document, lineAt, value, body }: ReadFile): ParsedAgentFile {
  const lineOf = (path: readonly PropertyKey[]): number | null => {
    for (let depth = path.length; depth > 0; depth--) {
      const node = document.getIn(path.slice(0, depth), true);
      if (isNode(node) && node.range) return lineAt(node.range[0]);
    }
    return null;
  };
  if (body !== null && body.trim() !== "") {
    const issue = {
      file,
      line: lineOf(["systemPrompt"]),
      message: "systemPrompt: the body of the file is the prompt already",
    };
    if (value.systemPrompt !== undefined) return { definition: null, issues: [issue] };
    value.systemPrompt = body.trim();
  }
  if (typeof value.model === "string") value.model = modelOf(value.model);
  const parsed = AgentDefinition.safeParse(value);
  if (!parsed.success)
    return {
      definition: null,
      issues: parsed.error.issues.map(({ path, message }) => ({
        file,
        line: lineOf(path) ?? 1,
        message: path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`,
      })),
    };
  const secret = secretPath(parsed.data, []);
  if (secret === null) return { definition: parsed.data, issues: [] };
  const message = `${secret.join(".")}: looks like a secret; definitions are stored and shown, name a variable instead`;
  return { definition: null, issues: [{ file, line: lineOf(secret) ?? 1, message }] };
}

/** `provider/model`, the short form of a model; what has no slash is left for the schema to refuse. */
function modelOf(text: string): unknown {
  const slash = text.indexOf("/");
  return slash < 0 ? { provider: text } : { provider: text.slice(0, slash), model: text.slice(slash + 1) };
}

function splitFrontMatter(text: string): { yaml: string; firstLine: number; body: string } | null {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n([\s\S]*))?$/m.exec(text);
  if (match === null || match.index !== 0) return null;
  return { yaml: match[1] ?? "", firstLine: 2, body: match[2] ?? "" };
}

/** Puts variables into the document's string values, never into its structure. Null, or what is wrong and where. */
function resolveScalars(document: Document, env: Environment): { offset: number; message: string } | null {
  let wrong: { offset: number; message: string } | null = null;
  visit(document, {
    Scalar(key, node) {
      if (key === "key" || typeof node.value !== "string" || !hasVariables(node.value)) return undefined;
      try {
        const text = substituteVariables(node.value, env);
        // A plain scalar that became a number or a truth value is one; a quoted one stays text.
        node.value = node.type === "PLAIN" ? plainValue(text) : text;
        return undefined;
      } catch (error) {
        wrong = { offset: node.range?.[0] ?? 0, message: error instanceof Error ? error.message : String(error) };
        return visit.BREAK;
      }
    },
  });
  return wrong;
}

function plainValue(text: string): unknown {
  const document = parseDocument(text);
  if (document.errors.length > 0 || !isScalar(document.contents)) return text;
  const value: unknown = parse(text);
  return typeof value === "number" || typeof value === "boolean" ? value : text;
}

/** Where a value has the form of a secret; null when none has. */
function secretPath(value: unknown, path: string[]): string[] | null {
  if (typeof value === "string") return looksSecret(value) ? path : null;
  if (typeof value !== "object" || value === null) return null;
  for (const [key, v] of Object.entries(value)) {
    const found = secretPath(v, [...path, key]);
    if (found !== null) return found;
  }
  return null;
}
