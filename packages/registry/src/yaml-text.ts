import { canonicalJson } from "@wheelhouse/domain";
import { type Document, isNode, isScalar, LineCounter, parse, parseDocument, visit } from "yaml";
import type { RegistryIssue } from "./registry-issue.ts";
import { type Environment, hasVariables, substituteVariables } from "./substitute-variables.ts";

/** Uses of YAML aliases in one file; a bomb needs many more. */
const maxAliasCount = 50;

export interface YamlText {
  value: Record<string, unknown>;
  /** The line of a path, or of the nearest part of it that is written; null when none is. */
  lineOf(path: readonly PropertyKey[]): number | null;
}

export interface YamlSource {
  /** What issues name. */
  file: string;
  yaml: string;
  /** Where the text begins in its file, from 1. */
  firstLine: number;
  env: Environment;
}

/** Reads a mapping, with variables in its values; or says what is wrong with the text. */
export function readYaml({ file, yaml, firstLine, env }: YamlSource): YamlText | RegistryIssue {
  const refuse = (line: number | null, message: string): RegistryIssue => ({ file, line, message });
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number): number => lines.linePos(offset).line + firstLine - 1;
  const [broken] = document.errors;
  if (broken !== undefined) return refuse(lineAt(broken.pos[0]), broken.message);
  const wrong = resolveScalars(document, env);
  if (wrong !== null) return refuse(lineAt(wrong.offset), wrong.message);
  try {
    const value: unknown = document.toJS({ maxAliasCount });
    // What JSON cannot say, such as .nan, cannot be stored.
    canonicalJson(value);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return refuse(firstLine, "must be a mapping of fields");
    return { value: { ...value }, lineOf: (path) => lineOf(document, lineAt, path) };
  } catch (error) {
    return refuse(null, error instanceof Error ? error.message : String(error));
  }
}

function lineOf(document: Document, lineAt: (offset: number) => number, path: readonly PropertyKey[]): number | null {
  for (let depth = path.length; depth > 0; depth--) {
    const node = document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return lineAt(node.range[0]);
  }
  return null;
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

/** The YAML between two lines `---` at the beginning of a text, and what stands behind it; null when there is none. */
export function splitFrontMatter(text: string): { yaml: string; firstLine: number; body: string } | null {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n([\s\S]*))?$/m.exec(text);
  if (match === null || match.index !== 0) return null;
  return { yaml: match[1] ?? "", firstLine: 2, body: match[2] ?? "" };
}
