import type { ScriptTool } from "./scripted-model.ts";

/**
 * Arguments for a tool, from its schema and the request. `main` goes into the first text argument that is not an
 * address or a title; the rest is found in the request: addresses, quoted texts, numbers.
 */
export function fillArguments(tool: ScriptTool, text: string, main?: string): Record<string, unknown> {
  const properties = Object.entries(tool.parameters.properties ?? {});
  const required = new Set(tool.parameters.required ?? properties.map(([name]) => name));
  const quoted = [...text.matchAll(/["“”«']([^"“”«»']{2,})["“”»']/g)].map((match) => match[1] ?? "");
  const found = { text, main, quoted, address: text.match(/[\w.+-]+@[\w-]+\.[\w.-]+/)?.[0], mainUsed: false };
  const args: Record<string, unknown> = {};
  for (const [name, schema] of properties) {
    if (!required.has(name)) continue;
    args[name] = argument(name, schema, found);
  }
  return args;
}

interface Found {
  text: string;
  main: string | undefined;
  quoted: string[];
  address: string | undefined;
  mainUsed: boolean;
}

function argument(name: string, schema: unknown, found: Found): unknown {
  const choices = property(schema, "enum");
  if (Array.isArray(choices)) return choices.find((choice) => found.text.includes(String(choice))) ?? choices[0];
  const number = Number(found.text.match(/-?\d+(\.\d+)?/)?.[0] ?? 1);
  switch (property(schema, "type")) {
    case "integer":
      return Math.trunc(number);
    case "number":
      return number;
    case "boolean":
      return true;
    case "array":
      return [found.main ?? found.text];
    case "object":
      return {};
    default:
      return textArgument(name, found);
  }
}

function textArgument(name: string, found: Found): string {
  if (/^(to|recipients?|email|address)$/i.test(name) && found.address !== undefined) return found.address;
  if (/subject|title/i.test(name)) return found.quoted[0] ?? sentence(found.text);
  if (found.main !== undefined && !found.mainUsed) {
    found.mainUsed = true;
    return found.main;
  }
  if (/body|content|message|text/i.test(name)) return found.quoted.at(-1) ?? found.text;
  return found.main ?? found.text;
}

const sentence = (text: string): string => (text.split(/[.!?\n]/)[0] ?? "").trim().slice(0, 80).toWellFormed();

const property = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
