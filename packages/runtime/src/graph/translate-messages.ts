import { type MessageRole, storableText } from "@wheelhouse/domain";
import type { MessageWrite } from "@wheelhouse/storage";
import { pieceText, readContent } from "./message-content.ts";
import { isMessageLike, type MessageLike, previewOf, recordable } from "./payload.ts";
import { type PendingMessage, type TranslationState, tell } from "./translation-state.ts";

/** A node's output as LangChain hands it over: `{output: [command]}`, whose update holds channels, which hold lists. */
const maxNesting = 6;

/** A piece of an assistant message has come. */
export function addPiece(state: TranslationState, messageId: string, content: unknown, callsTools: boolean): void {
  const text = pieceText(content);
  if (text === "" && !callsTools) return;
  const pending = pendingOf(state, messageId);
  if (pending === null) return;
  startMessage(state, pending);
  if (text !== "") addText(state, pending, text);
}

/** The model has ended: what it said waits for its node to keep it. */
export function holdMessage(
  state: TranslationState,
  messageId: string,
  message: MessageLike,
  more: { model: string; tokenCount: number | null },
): void {
  const pending = pendingOf(state, messageId);
  if (pending === null) return;
  startMessage(state, pending);
  if (pending.sent + pending.carry.length === 0) addText(state, pending, readContent(message.content).text);
  flushCarry(state, pending);
  pending.message = message;
  pending.model = more.model;
  pending.tokenCount = more.tokenCount;
  pending.finishReason = finishReason(message);
}

/** The model has failed: what it had said is taken back. */
export function discardMessage(state: TranslationState, messageId: string, reason: string): void {
  const pending = state.pending.get(messageId);
  if (pending === undefined) return;
  state.pending.delete(messageId);
  if (!pending.started) return;
  tell(state, "message.discarded", { messageId, role: "ASSISTANT", reason }, { visibility: "END_USER" });
}

/** A node has returned messages: streamed ones are complete now, others are told as a whole. */
export function keepMessages(state: TranslationState, messages: readonly MessageLike[], rewrites: boolean): void {
  for (const message of messages) {
    const id = message.id;
    if (id === undefined) continue;
    const pending = state.pending.get(id);
    if (pending !== undefined) completeMessage(state, pending, message);
    else if (!state.seen.has(id)) tellWhole(state, id, message);
    // Middleware may change the calls of a message that was told, for example to those a human edited.
    else if (rewrites && roleOf(message) === "ASSISTANT") state.batch.messages.push(messageWrite(state, id, message));
  }
}

/** At the end of a run: what no node kept stays only when nothing else answered. */
export function settleMessages(state: TranslationState, succeeded: boolean, reason: string): void {
  for (const pending of [...state.pending.values()])
    if (succeeded && !state.kept && pending.message !== null) completeMessage(state, pending, pending.message);
    else discardMessage(state, pending.id, succeeded ? "not kept by the graph" : reason);
}

/** The messages that a caller gave and nobody has recorded yet: rows and events of the conversation. */
export function tellInputMessages(state: TranslationState, messages: readonly MessageLike[]): void {
  for (const message of messages) {
    const { id } = message;
    if (id === undefined || state.seen.has(id)) continue;
    if (roleOf(message) !== "USER") {
      tellWhole(state, id, message);
      continue;
    }
    state.seen.add(id);
    const write = messageWrite(state, id, message);
    state.batch.messages.push(write);
    tell(state, "message.user", { messageId: id, role: "USER", text: write.content }, { visibility: "END_USER" });
  }
  state.kept = false;
}

/** Remembers the messages that a node was given, so that a node which returns its whole state repeats nothing. */
export function rememberInputs(state: TranslationState, inputs: unknown, depth = 0): void {
  if (typeof inputs !== "object" || inputs === null || depth > 2) return;
  for (const value of Array.isArray(inputs) ? inputs : Object.values(inputs)) {
    if (isMessageLike(value)) {
      if (value.id !== undefined && !state.pending.has(value.id)) state.seen.add(value.id);
    } else if (Array.isArray(value)) rememberInputs(state, value, depth + 1);
    // Lists hold one kind of thing: when the first is no message, none is.
    else if (Array.isArray(inputs)) return;
  }
}

/**
 * The messages in what a node returned: as they are, in lists, in channels, in commands.
 * One without an id gets one, as LangGraph's own streaming does, so that log and checkpoint name it alike.
 */
export function messagesIn(output: unknown, callbackId: string): MessageLike[] {
  const found: MessageLike[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (isMessageLike(value)) {
      identify(value, callbackId, found.length);
      found.push(value);
    } else if (Array.isArray(value)) {
      for (const item of value) if (typeof item === "object") visit(item, depth + 1);
    } else if (typeof value === "object" && value !== null && depth < maxNesting) {
      for (const item of toldParts(value)) if (typeof item === "object") visit(item, depth + 1);
    }
  };
  visit(output, 0);
  return found;
}

/** A command tells its update, a functional workflow its value (not what it saves); a Send tells nothing yet. */
function toldParts(value: object): unknown[] {
  if ("lg_name" in value && value.lg_name === "Send") return [];
  if ("lg_name" in value && value.lg_name === "Command") return "update" in value ? [value.update] : [];
  if ("save" in value && "value" in value) return [value.value];
  return Object.values(value);
}

/** A message as a transcript row. `id` of the row is for the recorder to keep stable by the LangGraph id. */
export function messageWrite(state: TranslationState, langgraphMessageId: string, message: MessageLike): MessageWrite {
  const { clock, newId, maxPayloadBytes } = state.options;
  return toMessageWrite(message, { id: newId(), langgraphMessageId, maxPayloadBytes, at: clock.now() });
}

export function toMessageWrite(
  message: MessageLike,
  row: { id: string; langgraphMessageId: string; maxPayloadBytes: number; at: Date },
): MessageWrite {
  const { text, parts } = readContent(message.content);
  const role = roleOf(message) ?? "ASSISTANT";
  const tooLarge =
    role === "TOOL" && text.length * 3 > row.maxPayloadBytes && Buffer.byteLength(text) > row.maxPayloadBytes;
  const shown = tooLarge ? previewOf(text) : null;
  const write: MessageWrite = {
    id: row.id,
    langgraphMessageId: row.langgraphMessageId,
    role,
    content: shown?.preview ?? text,
    createdAt: row.at,
  };
  if (shown !== null) write.parts = [{ type: "preview", ...shown }];
  else if (parts !== null) write.parts = recordable(parts, { maxBytes: row.maxPayloadBytes });
  const calls = toolCallsOf(message);
  if (calls.length > 0) write.toolCalls = recordable(calls, { maxBytes: row.maxPayloadBytes });
  if (message.tool_call_id !== undefined) write.toolCallId = message.tool_call_id;
  return write;
}

/** The model that wrote a message and its tokens, as far as the message itself tells. */
export function spokenBy(message: MessageLike): Pick<MessageWrite, "model" | "tokenCount"> {
  if (roleOf(message) !== "ASSISTANT") return {};
  const metadata: unknown = Reflect.get(message, "response_metadata");
  const usage: unknown = Reflect.get(message, "usage_metadata");
  const model = field(metadata, "model_name") ?? field(metadata, "model");
  const tokens = field(usage, "output_tokens");
  return {
    ...(typeof model === "string" ? { model } : {}),
    ...(typeof tokens === "number" ? { tokenCount: tokens } : {}),
  };
}

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

/** LangChain's message type → role; null for what is no message of a transcript, such as a removal. */
export function roleOf(message: MessageLike): MessageRole | null {
  switch (message.getType()) {
    case "human":
      return "USER";
    case "ai":
      return "ASSISTANT";
    case "system":
    case "developer":
      return "SYSTEM";
    case "tool":
    case "function":
      return "TOOL";
    default:
      return null;
  }
}

function pendingOf(state: TranslationState, id: string): PendingMessage | null {
  if (state.seen.has(id)) return null;
  const known = state.pending.get(id);
  if (known !== undefined) return known;
  const pending: PendingMessage = {
    id,
    started: false,
    sent: 0,
    carry: "",
    message: null,
    model: null,
    tokenCount: null,
    finishReason: undefined,
  };
  state.pending.set(id, pending);
  return pending;
}

function startMessage(state: TranslationState, pending: PendingMessage): void {
  if (pending.started) return;
  pending.started = true;
  tell(state, "message.started", { messageId: pending.id, role: "ASSISTANT" }, { visibility: "END_USER" });
}

function addText(state: TranslationState, pending: PendingMessage, piece: string): void {
  let text = pending.carry + piece;
  const last = text.charCodeAt(text.length - 1);
  pending.carry = "";
  if (last >= 0xd800 && last <= 0xdbff) {
    pending.carry = text.slice(-1);
    text = text.slice(0, -1);
  }
  tellText(state, pending, text);
}

function flushCarry(state: TranslationState, pending: PendingMessage): void {
  const { carry } = pending;
  pending.carry = "";
  tellText(state, pending, carry);
}

/** Pieces that were not taken yet become one: the same text in fewer events. */
function tellText(state: TranslationState, pending: PendingMessage, piece: string): void {
  if (piece === "") return;
  const text = storableText(piece);
  const last = state.batch.events.at(-1);
  if (last?.type === "message.delta" && last.payload.messageId === pending.id) last.payload.text += text;
  else
    tell(
      state,
      "message.delta",
      { messageId: pending.id, role: "ASSISTANT", text, index: pending.sent },
      { visibility: "END_USER" },
    );
  pending.sent += text.length;
}

function completeMessage(state: TranslationState, pending: PendingMessage, message: MessageLike): void {
  state.pending.delete(pending.id);
  state.seen.add(pending.id);
  state.kept = true;
  startMessage(state, pending);
  flushCarry(state, pending);
  const write = messageWrite(state, pending.id, message);
  if (pending.sent === 0) tellText(state, pending, write.content);
  write.model = pending.model;
  write.tokenCount = pending.tokenCount;
  state.batch.messages.push(write);
  const names = toolCallsOf(message).map((call) => String(call.name));
  const payload = { messageId: pending.id, role: "ASSISTANT" as const, length: pending.sent };
  const reason = pending.finishReason ?? finishReason(message);
  tell(
    state,
    "message.completed",
    {
      ...payload,
      ...(reason === undefined ? {} : { finishReason: reason }),
      ...(names.length > 0 ? { toolCalls: names } : {}),
    },
    { visibility: "END_USER" },
  );
}

function tellWhole(state: TranslationState, id: string, message: MessageLike): void {
  const role = roleOf(message);
  if (role === null) return;
  if (role === "ASSISTANT") {
    const pending = pendingOf(state, id);
    if (pending !== null) completeMessage(state, pending, message);
    return;
  }
  state.seen.add(id);
  const write = messageWrite(state, id, message);
  state.batch.messages.push(write);
  // A user's words that the graph made up are for operators: no user said them.
  if (role === "USER")
    tell(state, "message.user", { messageId: id, role, text: write.content }, { visibility: "OPERATOR" });
}

function toolCallsOf(message: MessageLike): { name: unknown; args: unknown; id: unknown }[] {
  if (!Array.isArray(message.tool_calls)) return [];
  return message.tool_calls.map((call: { name?: unknown; args?: unknown; id?: unknown }) => ({
    name: call.name,
    args: call.args,
    id: call.id,
  }));
}

function finishReason(message: MessageLike): string | undefined {
  const metadata: unknown = Reflect.get(message, "response_metadata");
  if (typeof metadata !== "object" || metadata === null) return undefined;
  const reason: unknown = Reflect.get(metadata, "finish_reason") ?? Reflect.get(metadata, "stop_reason");
  return typeof reason === "string" ? reason : undefined;
}

function identify(message: MessageLike, callbackId: string, index: number): void {
  if (message.id !== undefined && message.id !== null) return;
  const suffix = message.tool_call_id === undefined ? `out-${index}` : `tool-${message.tool_call_id}`;
  message.id = `run-${callbackId}-${suffix}`;
  const kwargs: unknown = Reflect.get(message, "lc_kwargs");
  if (typeof kwargs === "object" && kwargs !== null) Reflect.set(kwargs, "id", message.id);
}
