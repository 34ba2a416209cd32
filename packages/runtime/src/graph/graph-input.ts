import { type BaseMessage, coerceMessageLikeToMessage, HumanMessage } from "@langchain/core/messages";
import { RunRefusal } from "./classify-failure.ts";
import { answersToDanglingCalls } from "./dangling-calls.ts";
import type { MessageLike } from "./payload.ts";

/**
 * A task's input → a graph's input. A conversation turn (`messageId` set) becomes LangChain messages, its user message
 * with the id of its row, so that reducers replace and never repeat it. Any other input is the graph's own affair,
 * except that `messages` are made LangChain messages with stable ids. Tool calls that the conversation `before` it left
 * unanswered are answered first.
 */
export function toGraphInput(
  input: unknown,
  messageId: string | null,
  taskId: string,
  before: readonly MessageLike[] = [],
): unknown {
  if (typeof input === "string") return messageId === null ? input : { messages: [human(input, messageId)] };
  if (!isRecord(input)) return input;
  if (Array.isArray(input.messages))
    return {
      ...input,
      messages: [...answersToDanglingCalls(before), ...toMessages(input.messages, messageId, taskId)],
    };
  const content = input.content ?? input.text;
  if (messageId === null || typeof content !== "string") return input;
  const { content: _content, text: _text, ...rest } = input;
  return { ...rest, messages: [human(content, messageId)] };
}

/** The LangChain messages in a graph's input. */
export function inputMessages(input: unknown): BaseMessage[] {
  if (!isRecord(input) || !Array.isArray(input.messages)) return [];
  return input.messages.filter((message): message is BaseMessage => isRecord(message) && "getType" in message);
}

const human = (content: string, id: string): HumanMessage => new HumanMessage({ content, id });

/** Ids are given when a message is made: what is set later does not reach the checkpoint. */
function toMessages(given: unknown[], messageId: string | null, taskId: string): BaseMessage[] {
  const users = given.map((message) => ["user", "human"].includes(roleOf(message)));
  const turn = messageId === null ? -1 : users.lastIndexOf(true);
  return given.map((message, index) => {
    const own = isRecord(message) && typeof message.id === "string" ? message.id : `task-${taskId}-${index}`;
    return coerce(message, index, index === turn && messageId !== null ? messageId : own);
  });
}

const roleOf = (message: unknown): string =>
  isRecord(message) ? String(message.role ?? message.type ?? "user").toLowerCase() : "user";

function coerce(message: unknown, index: number, id: string): BaseMessage {
  const content = isRecord(message) ? message.content : message;
  if (typeof content !== "string" && !Array.isArray(content))
    throw new RunRefusal("GRAPH_ERROR", `The input's message ${index} has no content.`);
  const role = roleOf(message);
  try {
    // Content blocks are passed as they came: the provider's client judges them.
    return coerceMessageLikeToMessage({ role, content: content as string, id });
  } catch {
    throw new RunRefusal("GRAPH_ERROR", `The input's message ${index} has the unknown role "${role}".`);
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
