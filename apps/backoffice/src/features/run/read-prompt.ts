import { readToolRequests } from "../conversation/read-message.ts";
import type { ToolRequest } from "./live-view.ts";

/** A message as it went to a model, or came from it. */
export interface PromptMessage {
  role: string;
  text: string;
  toolRequests: readonly ToolRequest[];
  /** Parts that are no text: images, files, reasoning. */
  parts: readonly unknown[];
}

const roles: Record<string, string> = {
  human: "user",
  ai: "assistant",
  AIMessage: "assistant",
  HumanMessage: "user",
  SystemMessage: "system",
  ToolMessage: "tool",
};

/** Reads messages out of a recorded prompt or output; null when it is something else. */
export function readMessages(value: unknown): PromptMessage[] | null {
  const list = listIn(value);
  // Models are called with a list of lists: one per prompt of a batch.
  const flat = list.length === 1 && Array.isArray(list[0]) ? list[0] : list;
  const messages = flat.map(readMessage);
  return messages.length > 0 && messages.every((message) => message !== null)
    ? messages.filter((message) => message !== null)
    : null;
}

/** A state holds its messages under `messages`, a node's answer under `output`. */
function listIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [value];
  if (Array.isArray(value.messages)) return value.messages;
  return Array.isArray(value.output) ? value.output : [value];
}

function readMessage(value: unknown): PromptMessage | null {
  if (!isObject(value)) return null;
  const role = value.role ?? value.type;
  if (typeof role !== "string" || !("content" in value)) return null;
  const { text, parts } = readContent(value.content);
  return {
    role: roles[role] ?? role,
    text,
    parts,
    toolRequests: readToolRequests(value.tool_calls ?? value.toolCalls),
  };
}

function readContent(content: unknown): { text: string; parts: unknown[] } {
  if (typeof content === "string") return { text: content, parts: [] };
  if (!Array.isArray(content)) return { text: "", parts: content === null || content === undefined ? [] : [content] };
  const texts: string[] = [];
  const parts: unknown[] = [];
  for (const part of content) {
    if (typeof part === "string") texts.push(part);
    else if (isObject(part) && typeof part.text === "string") texts.push(part.text);
    else parts.push(part);
  }
  return { text: texts.join("\n"), parts };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
