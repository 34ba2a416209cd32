import { formatBytes } from "../../ui/format.ts";
import type { LogEvent } from "./live-view.ts";

/** The kinds of events that a reader tells apart at a glance. */
export const eventNouns = [
  "task",
  "run",
  "message",
  "step",
  "tool",
  "interrupt",
  "plan",
  "subagent",
  "artifact",
  "mcp",
  "usage",
  "context",
  "custom",
] as const;
export type EventNoun = (typeof eventNouns)[number] | "other";

/** What an event is about: the part of its type before the dot. */
export function nounOf(type: string): EventNoun {
  const noun = type.split(".")[0];
  return eventNouns.find((each) => each === noun) ?? "other";
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown, unit: string): string =>
  typeof value === "number" ? `${value.toLocaleString("en-US")} ${unit}` : "";
const joined = (...parts: string[]): string => parts.filter((part) => part !== "").join(" · ");

/** The most telling words of an event, for one line of the log. */
export function summarizeEvent({ type, payload }: Pick<LogEvent, "type" | "payload">): string {
  const { name, error, reason, code, durationMs } = payload;
  switch (nounOf(type)) {
    case "message":
      return joined(
        text(payload.role).toLowerCase(),
        text(payload.text),
        count(payload.length, "characters"),
        text(reason),
      );
    case "step":
    case "subagent":
      return joined(text(name), text(payload.kind).toLowerCase(), count(durationMs, "ms"), text(error));
    case "tool":
      return joined(
        text(name),
        names(payload.argumentNames),
        count(durationMs, "ms"),
        count(payload.outputBytes, "bytes"),
        text(error),
      );
    case "run":
    case "task":
      return joined(
        text(code),
        text(reason),
        typeof payload.attempt === "number" ? `attempt ${payload.attempt}` : text(payload.status).toLowerCase(),
      );
    case "interrupt":
      return joined(names(payload.actions), text(payload.decision).toLowerCase(), text(payload.by));
    case "plan":
      return Array.isArray(payload.todos) ? `${payload.todos.length} todos` : "";
    case "artifact":
      return joined(
        text(payload.path),
        typeof payload.version === "number" ? `version ${payload.version}` : "",
        text(payload.contentType),
        typeof payload.bytes === "number" ? formatBytes(payload.bytes) : "",
      );
    case "mcp":
      return joined(
        `the MCP server ${text(payload.server)} could not be used`,
        text(payload.category).toLowerCase().replaceAll("_", " "),
        text(payload.message),
      );
    case "usage":
      return joined(
        text(payload.status).toLowerCase(),
        Array.isArray(payload.byModel) ? `${payload.byModel.length} models` : "",
      );
    default:
      return JSON.stringify(payload).slice(0, 200);
  }
}

const names = (value: unknown): string =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string").join(", ") : "";

export interface EventFilter {
  nouns: ReadonlySet<string>;
  text: string;
}

/** Whether the event is shown; an empty set of nouns shows all. The text is searched in type and payload. */
export function matchesFilter(event: LogEvent, { nouns, text: wanted }: EventFilter): boolean {
  if (nouns.size > 0 && !nouns.has(nounOf(event.type))) return false;
  if (wanted === "") return true;
  const needle = wanted.toLowerCase();
  return event.type.includes(needle) || JSON.stringify(event.payload).toLowerCase().includes(needle);
}
