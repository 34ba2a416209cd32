import { type HttpToolDefinition, placeholdersOf } from "@wheelhouse/domain";
import { ToolCallFailed } from "./tool-failures.ts";

type Template = Pick<HttpToolDefinition, "url" | "method">;

/**
 * The address and the body of a call. Arguments fill the template's places; the others go to the query, or to the body
 * where the method has one. No argument changes the host or leaves its place in the path.
 */
export function fillTemplate(
  { url: template, method }: Template,
  args: Readonly<Record<string, unknown>>,
): { url: string; body?: string } {
  const path = template.split("?", 1)[0] ?? template;
  const filled =
    path.replaceAll(place, (_whole, name: string) => inPath(name, args[name])) +
    template.slice(path.length).replaceAll(place, (_whole, name: string) => inQuery(args[name]));
  // A part that is `.` or `..` would be resolved away, and the call would be another one than was defined.
  if (/\/(\.|%2e){1,2}(\/|\?|$)/i.test(filled))
    throw new ToolCallFailed("The arguments would lead to another path than the tool's.", { retryable: false });
  const url = new URL(filled);
  const placed = new Set(placeholdersOf(template));
  const others = Object.entries(args).filter(([name, value]) => !placed.has(name) && value !== undefined);
  if (method !== "GET" && method !== "DELETE")
    return { url: url.href, body: JSON.stringify(Object.fromEntries(others)) };
  for (const [name, value] of others)
    for (const each of Array.isArray(value) ? value : [value]) url.searchParams.append(name, scalarText(each));
  return { url: url.href };
}

const place = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

function inPath(name: string, value: unknown): string {
  const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  if (!isScalar || value === "")
    throw new ToolCallFailed(`The argument "${name}" is part of the address: give a text or a number.`, {
      retryable: false,
    });
  return encodeURIComponent(String(value).toWellFormed());
}

const inQuery = (value: unknown): string =>
  value === undefined || value === null ? "" : encodeURIComponent(scalarText(value).toWellFormed());

const scalarText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
