/** What a tool answered: JSON when it reads as an object or a list, text otherwise. */
export type ToolResult = { kind: "json"; value: unknown } | { kind: "text" };

/** Larger results stay text: parsing them would hold the page up. */
const longestParsed = 5_000_000;

export function readResult(text: string | null): ToolResult | null {
  if (text === null) return null;
  const begin = text.trimStart()[0];
  if ((begin !== "{" && begin !== "[") || text.length > longestParsed) return { kind: "text" };
  try {
    return { kind: "json", value: JSON.parse(text) };
  } catch {
    return { kind: "text" };
  }
}

const longestValue = 60;

/** Arguments on one line: `query: "lease", limit: 5`; only the names while the values are unknown. */
export function previewArguments(args: unknown, names: readonly string[]): string {
  if (args === undefined || args === null) return names.join(", ");
  if (typeof args !== "object") return String(args).slice(0, 200);
  return Object.entries(args)
    .slice(0, 8)
    .map(([name, value]) => `${name}: ${shortValue(value)}`)
    .join(", ");
}

function shortValue(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value.slice(0, longestValue)) : JSON.stringify(value);
  if (text === undefined) return "–";
  return text.length > longestValue + 2 ? `${text.slice(0, longestValue)}…` : text;
}
