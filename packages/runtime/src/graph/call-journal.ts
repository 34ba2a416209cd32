import type { BaseStore, SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { z } from "zod";

/** What is known of a call that must not be made twice. */
export interface CallRecord {
  /** Begun: it may have done its work. Ended: it has, and this is what came back. */
  state: "begun" | "ended";
  /** Answers of humans about it that were used already. */
  answers: number;
  result?: unknown;
}

const Stored = z.object({
  state: z.enum(["begun", "ended"]),
  answers: z.int(),
  taskId: z.string(),
  /** The result as the serializer wrote it; absent when it could not. */
  result: z.object({ type: z.string(), data: z.base64() }).optional(),
});

export interface CallJournalOptions {
  store: BaseStore;
  serde: SerializerProtocol;
  threadId: string;
  taskId: string;
}

/**
 * The calls of one conversation's tools that must not be made twice, kept beside the checkpoints: written before a call
 * begins and when it has ended, so that whoever repeats a step after a crash knows of it. Entries go with the end of
 * their task.
 */
export class CallJournal {
  readonly #options: CallJournalOptions;
  readonly #namespace: string[];
  #touched = false;

  constructor(options: CallJournalOptions) {
    this.#options = options;
    this.#namespace = ["wheelhouse", "calls", options.threadId];
  }

  async read(key: string): Promise<CallRecord | null> {
    const item = await this.#options.store.get(this.#namespace, key);
    if (!item) return null;
    this.#touched = true;
    const { state, answers, result } = Stored.parse(item.value);
    if (result === undefined) return { state: "begun", answers };
    const data = Uint8Array.from(Buffer.from(result.data, "base64"));
    return { state, answers, result: await this.#options.serde.loadsTyped(result.type, data) };
  }

  begin(key: string, answers: number): Promise<void> {
    return this.#write(key, { state: "begun", answers, taskId: this.#options.taskId });
  }

  /** A result that cannot be written down leaves the call as one of which nobody knows how it ended. */
  async end(key: string, answers: number, value: unknown): Promise<void> {
    const written = await this.#options.serde.dumpsTyped(value).catch(() => null);
    if (written === null) return;
    const [type, bytes] = written;
    const result = { type, data: Buffer.from(bytes).toString("base64") };
    await this.#write(key, { state: "ended", answers, taskId: this.#options.taskId, result });
  }

  /** It is known to have failed: whether it is tried again is the graph's affair. */
  async forget(key: string): Promise<void> {
    await this.#options.store.delete(this.#namespace, key);
  }

  /** The task has ended: nothing repeats its steps any more. */
  async clear(): Promise<void> {
    if (!this.#touched) return;
    const { store } = this.#options;
    for (const { key } of await store.search(this.#namespace, { limit: 1_000 }))
      await store.delete(this.#namespace, key);
  }

  async #write(key: string, value: z.infer<typeof Stored>): Promise<void> {
    this.#touched = true;
    await this.#options.store.put(this.#namespace, key, value);
  }
}
