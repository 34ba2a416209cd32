/** What an operator typed as a tool's arguments: a JSON object, or what is wrong with it and where. */
export type ReadArguments = { ok: true; args: Record<string, unknown> } | { ok: false; problem: string };

/** Reads edited arguments. The problem names the line, so that it can be found in the editor. */
export function readArguments(text: string): ReadArguments {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, problem: syntaxProblem(error, text) };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { ok: false, problem: "Arguments are a JSON object: { … }" };
  return { ok: true, args: Object.fromEntries(Object.entries(value)) };
}

function syntaxProblem(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : "This is not JSON";
  const position = /position (\d+)/.exec(message)?.[1];
  const end = /end of JSON/i.test(message) ? text.length : undefined;
  const at = position === undefined ? end : Number(position);
  if (at === undefined) return "This is not valid JSON";
  const line = text.slice(0, at).split("\n").length;
  return end === undefined ? `Not valid JSON at line ${line}` : `The JSON ends too early, at line ${line}`;
}

/** Names of arguments that were changed, added or taken away. */
export function changedArguments(before: unknown, after: Record<string, unknown>): string[] {
  const old =
    typeof before === "object" && before !== null ? new Map(Object.entries(before)) : new Map<string, unknown>();
  const names = new Set([...old.keys(), ...Object.keys(after)]);
  return [...names].filter((name) => JSON.stringify(old.get(name)) !== JSON.stringify(after[name]));
}
