/** What happened since the last time one asked. */
export interface FeedNews {
  /** The runs that the events name. */
  runIds: readonly string[];
  /** The stream begins: anything may have happened before. */
  fresh: boolean;
}

/** Events that come this close together are one reason to ask, milliseconds. */
const gatherMs = 200;
/** After a failure. */
const retryMs = 3_000;

/** Gathers news while a question is under way. */
export class FeedReader {
  readonly #ask: (news: FeedNews, signal: AbortSignal) => Promise<void>;
  readonly #stopped = new AbortController();
  #runIds = new Set<string>();
  #fresh = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking = false;

  constructor(ask: (news: FeedNews, signal: AbortSignal) => Promise<void>) {
    this.#ask = ask;
  }

  /** A page without events is the beginning of a stream. */
  hear(events: readonly { runId?: string | null }[]): void {
    if (events.length === 0) this.#fresh = true;
    for (const { runId } of events) if (runId != null) this.#runIds.add(runId);
    this.#soon(gatherMs);
  }

  stop(): void {
    this.#stopped.abort();
    clearTimeout(this.#timer);
  }

  #soon(ms: number): void {
    if (this.#asking || this.#timer !== undefined || this.#stopped.signal.aborted) return;
    this.#timer = setTimeout(() => void this.#round(), ms);
  }

  async #round(): Promise<void> {
    this.#timer = undefined;
    this.#asking = true;
    const news = { runIds: [...this.#runIds], fresh: this.#fresh };
    this.#runIds = new Set();
    this.#fresh = false;
    const failed = await this.#ask(news, this.#stopped.signal).then(
      () => false,
      () => true,
    );
    this.#asking = false;
    if (failed) {
      for (const runId of news.runIds) this.#runIds.add(runId);
      this.#fresh ||= news.fresh;
      this.#soon(retryMs);
    } else if (this.#runIds.size > 0 || this.#fresh) this.#soon(gatherMs);
  }
}
