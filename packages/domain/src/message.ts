import { MessageRole } from "./status.ts";

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
  /** The sequence of the event that began it, the order of the transcript; of a discarded one, the end of it. */
  sequence: number;
}

export type Transcript = ReadonlyMap<string, FoldedMessage>;

/**
 * Adds one event to a transcript and returns the new one (the same object when nothing changed).
 * Deltas carry their offset and nothing counts that is older than the message's beginning, so an event that comes
 * twice changes nothing.
 */
export function foldMessage(transcript: Transcript, event: FoldableEvent): Transcript {
  const id = event.payload.messageId;
  if (typeof id !== "string" || !event.type.startsWith("message.")) return transcript;
  const known = transcript.get(id);
  if (known !== undefined && event.sequence <= known.sequence) return transcript;
  const next = step(known, id, event);
  if (next === known || next === undefined) return transcript;
  return new Map(transcript).set(id, next);
}

function begin(messageId: string, event: FoldableEvent, state: FoldedMessage["state"], text: string): FoldedMessage {
  const role = MessageRole.safeParse(event.payload.role);
  return {
    messageId,
    role: role.success ? role.data : "ASSISTANT",
    text,
    runId: event.runId,
    state,
    sequence: event.sequence,
  };
}

function step(known: FoldedMessage | undefined, messageId: string, event: FoldableEvent): FoldedMessage | undefined {
  const { text, index } = event.payload;
  switch (event.type) {
    case "message.user":
      // A turn that was taken back may be done again, and then its messages are told again.
      return known === undefined || known.state === "discarded"
        ? begin(messageId, event, "complete", typeof text === "string" ? text : "")
        : known;
    case "message.started":
      // A recovery discards what was half streamed and may tell the same message again, from its beginning.
      return known === undefined || known.state === "discarded" ? begin(messageId, event, "streaming", "") : known;
    case "message.delta": {
      const before = known ?? begin(messageId, event, "streaming", "");
      const fits = before.state === "streaming" && typeof text === "string" && index === before.text.length;
      return fits ? { ...before, text: before.text + text } : known;
    }
    case "message.completed":
      return known?.state === "streaming" ? { ...known, state: "complete" } : known;
    case "message.discarded":
      return known === undefined || known.state === "discarded"
        ? known
        : { ...known, state: "discarded", sequence: event.sequence };
    default:
      return known;
  }
}

/** The transcript's messages in order, discarded ones left out. */
export const messagesOf = (transcript: Transcript): FoldedMessage[] =>
  [...transcript.values()].filter((m) => m.state !== "discarded").sort((a, b) => a.sequence - b.sequence);
