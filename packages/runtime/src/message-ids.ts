import { sha256 } from "@wheelhouse/domain/digest";
import type { MessageWrite, RecordBatch } from "@wheelhouse/storage";

/**
 * The id of a message's row and of its events, from the id that LangGraph knows it by. Made of both, so that every run,
 * recovery and rebuild gives the message of a session the same id, and the copy of a thread in another session another.
 * The user's message of a task keeps its id, which is the task's: its row was there before the graph.
 */
export function messageRowId(sessionId: string, taskId: string, langgraphId: string): string {
  if (langgraphId === taskId) return langgraphId;
  const hex = sha256(`${sessionId}\n${langgraphId}`);
  // UUID version 8: the bits are the application's own.
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, variant + hex.slice(17, 20)];
  return [...parts, hex.slice(20, 32)].join("-");
}

/** What a graph said, with row ids in place of LangGraph's in events and rows. Remembers ids, for streams repeat them. */
export function rowIds(sessionId: string, taskId: string): MessageIds {
  const known = new Map<string, string>();
  const idOf = (langgraphId: string): string => {
    const id = known.get(langgraphId) ?? messageRowId(sessionId, taskId, langgraphId);
    known.set(langgraphId, id);
    return id;
  };
  const message = (write: MessageWrite): MessageWrite => ({ ...write, id: idOf(write.langgraphMessageId) });
  return {
    message,
    batch: (batch) => ({
      ...batch,
      events: batch.events.map((event) => {
        switch (event.type) {
          // Apart, because each payload belongs to its type.
          case "message.user":
            return { ...event, payload: { ...event.payload, messageId: idOf(event.payload.messageId) } };
          case "message.started":
            return { ...event, payload: { ...event.payload, messageId: idOf(event.payload.messageId) } };
          case "message.delta":
            return { ...event, payload: { ...event.payload, messageId: idOf(event.payload.messageId) } };
          case "message.completed":
            return { ...event, payload: { ...event.payload, messageId: idOf(event.payload.messageId) } };
          case "message.discarded":
            return { ...event, payload: { ...event.payload, messageId: idOf(event.payload.messageId) } };
          default:
            return event;
        }
      }),
      messages: batch.messages.map(message),
    }),
  };
}

export interface MessageIds {
  message(write: MessageWrite): MessageWrite;
  batch(batch: RecordBatch): RecordBatch;
}
