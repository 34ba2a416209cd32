import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { MessageLike } from "./payload.ts";

/**
 * Answers for the tool calls that a conversation ends with and that nobody answered: the run that asked for them was
 * stopped. Models and agents refuse a conversation that goes on without. Empty when there are none.
 */
export function answersToDanglingCalls(messages: readonly MessageLike[]): BaseMessage[] {
  const last = messages.findLastIndex((message) => message.getType() === "ai");
  const asking = messages[last];
  if (asking === undefined || !Array.isArray(asking.tool_calls)) return [];
  const after = messages.slice(last + 1);
  // Something else was said since: an answer would come too late.
  if (!after.every((message) => message.getType() === "tool")) return [];
  const answered = new Set(after.map((message) => message.tool_call_id));
  const calls: unknown[] = asking.tool_calls;
  return calls.flatMap((call, index) => {
    const { id, name } = callOf(call);
    if (id === null || answered.has(id)) return [];
    const content = "This call was stopped before it answered, because the conversation went on without it.";
    const messageId = `stopped-${asking.id ?? index}-${id}`;
    return [
      new ToolMessage({ id: messageId, tool_call_id: id, content, status: "error", ...(name !== null && { name }) }),
    ];
  });
}

function callOf(call: unknown): { id: string | null; name: string | null } {
  if (typeof call !== "object" || call === null) return { id: null, name: null };
  const text = (key: string): string | null => {
    const value: unknown = Reflect.get(call, key);
    return typeof value === "string" && value !== "" ? value : null;
  };
  return { id: text("id"), name: text("name") };
}
