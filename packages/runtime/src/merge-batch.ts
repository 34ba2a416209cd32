import { type NewEvent, parseNewEvent } from "@wheelhouse/domain";
import type { RecordBatch } from "@wheelhouse/storage";

export const emptyBatch = (): RecordBatch => ({ events: [], steps: [], messages: [], modelCalls: [] });

export const isEmptyBatch = (batch: RecordBatch): boolean =>
  batch.events.length + batch.steps.length + batch.messages.length + batch.modelCalls.length === 0;

/** Longest text of one merged delta, UTF-16 code units: the log holds phrases, not pages. */
const maxDeltaLength = 4_096;

type Delta = Extract<NewEvent, { type: "message.delta" }>;

/**
 * What waits to be written, with everything merged that one write can say once: deltas of the same message into phrases
 * (never past another kind of event), and later words about a step or message into its row.
 */
export class PendingBatch {
  #batch = emptyBatch();
  /** Deltas that the next piece of the same message may still join. */
  #open = new Map<string, Delta>();
  /** Messages of which a piece was taken already. */
  readonly #begun = new Set<string>();
  #textLength = 0;

  get batch(): Readonly<RecordBatch> {
    return this.#batch;
  }

  /** Length of the text in the batch, UTF-16 code units. */
  get textLength(): number {
    return this.#textLength;
  }

  get isEmpty(): boolean {
    return isEmptyBatch(this.#batch);
  }

  /** Adds a batch behind what waits. True when it begins a message's text, which readers should see at once. */
  add(batch: RecordBatch): boolean {
    let begins = false;
    for (const event of batch.events) {
      parseNewEvent(event);
      if (event.type === "message.delta") {
        begins = this.#addDelta(event) || begins;
        continue;
      }
      this.#open.clear();
      this.#batch.events.push(event);
    }
    for (const step of batch.steps) mergeInto(this.#batch.steps, step, (a) => a.id === step.id);
    for (const message of batch.messages) {
      mergeInto(this.#batch.messages, message, (a) => a.langgraphMessageId === message.langgraphMessageId);
      this.#textLength += message.content.length;
    }
    this.#batch.modelCalls.push(...batch.modelCalls);
    return begins;
  }

  /** Hands out what waits and begins an empty batch. */
  take(): RecordBatch {
    const taken = this.#batch;
    this.#batch = emptyBatch();
    this.#open = new Map();
    this.#textLength = 0;
    return taken;
  }

  #addDelta(event: Delta): boolean {
    const { messageId, text } = event.payload;
    if (text === "") return false;
    this.#textLength += text.length;
    const open = this.#open.get(messageId);
    if (open !== undefined && open.payload.text.length + text.length <= maxDeltaLength) open.payload.text += text;
    else {
      const delta = { ...event, payload: { ...event.payload } };
      this.#open.set(messageId, delta);
      this.#batch.events.push(delta);
    }
    const begins = !this.#begun.has(messageId);
    this.#begun.add(messageId);
    return begins;
  }
}

/** One write has one row per thing: a later word changes what it names and leaves the rest. */
function mergeInto<R extends object>(rows: R[], row: R, isSame: (other: R) => boolean): void {
  const at = rows.findIndex(isSame);
  const before = rows[at];
  if (before === undefined) rows.push({ ...row });
  else rows[at] = { ...before, ...Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) };
}
