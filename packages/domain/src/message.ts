import type { MessageRole } from "./status.ts";

/** The part of an event that the transcript is made of. */
export interface FoldableEvent {
  sequence: number;
  type: string;
  payload: Record<string, unknown>;
  runId: string | null;
}

/** A message as the log tells it. */
export interface FoldedMessage {
  messageId: string;
  role: MessageRole;
  text: string;
  runId: string | null;
  state: "streaming" | "complete" | "discarded";
  /** The sequence of the event that began it: the order of the transcript. */
  sequence: number;
}

export type Transcript = ReadonlyMap<string, FoldedMessage>;

/**
 * Adds one event to a transcript and returns the new one (the same object when nothing changed).
 * Deltas carry their offset, so an event that comes twice changes nothing.
 */
export function foldMessage(transcript: Transcript, event: FoldableEvent): Transcript {
  const id = event.payload.messageId;
  if (typeof id !== "string" || !event.type.startsWith("message.")) return transcript;
  const known = transcript.get(id);
  const next = step(known, id, event);
  if (next === known || next === undefined) return transcript;
  return new Map(transcript).set(id, next);
}

function step(known: FoldedMessage | undefined, messageId: string, event: FoldableEvent): FoldedMessage | undefined {
  const { text, index, role } = event.payload;
  const fresh = (state: FoldedMessage["state"], body: string): FoldedMessage => ({
    messageId,
    role: (role as MessageRole | undefined) ?? "ASSISTANT",
    text: body,
    runId: event.runId,
    state,
    sequence: event.sequence,
  });
  switch (event.type) {
    case "message.user":
      return known ?? fresh("complete", String(text ?? ""));
    case "message.started":
      return known ?? fresh("streaming", "");
    case "message.delta": {
      const before = known ?? fresh("streaming", "");
      if (typeof text !== "string" || typeof index !== "number" || index !== before.text.length) return before;
      return { ...before, text: before.text + text };
    }
    case "message.completed":
      return known === undefined || known.state === "complete" ? known : { ...known, state: "complete" };
    case "message.discarded":
      return known === undefined || known.state === "discarded" ? known : { ...known, state: "discarded" };
    default:
      return known;
  }
}

/** The transcript's messages in order, discarded ones left out. */
export const messagesOf = (transcript: Transcript): FoldedMessage[] =>
  [...transcript.values()].filter((m) => m.state !== "discarded").sort((a, b) => a.sequence - b.sequence);
