import { isObject } from "./check-input.ts";

/** The input of a conversation turn: what a chat agent takes. */
export const chatInput = (content: string): { messages: { role: "user"; content: string }[] } => ({
  messages: [{ role: "user", content }],
});

/** The text of the user's message when the input is a conversation turn: `{messages: […]}` that ends with one. Else null. */
export function userTextOf(input: unknown): string | null {
  if (!isObject(input) || !Array.isArray(input.messages)) return null;
  const last: unknown = input.messages.at(-1);
  if (!isObject(last)) return null;
  const role = last.role ?? last.type;
  return role === "user" || role === "human" ? textOf(last.content) : null;
}

/** The id of the user's message of a task: the task's own. One turn, one message, also when the task is tried again. */
export const messageIdOf = (taskId: string, input: unknown): string | null =>
  userTextOf(input) === null ? null : taskId;

function textOf(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return null;
  const parts: unknown[] = content;
  return parts
    .map((part) => (isObject(part) && part.type === "text" && typeof part.text === "string" ? part.text : ""))
    .join("");
}
