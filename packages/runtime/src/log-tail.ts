/** What a reader of a log hands to its viewers: everything behind their place, of every visibility. */
export interface TailPage<E, P> {
  events: readonly E[];
  scannedTo: P;
  /** Nothing was behind `scannedTo` when it was read. */
  caughtUp: boolean;
}

export interface TailViewer<E, P> {
  receive(page: TailPage<E, P>): void;
  /** The log cannot be read any more. */
  fail(error: Error): void;
}

/** A log as its shared reader needs to know it. */
export interface TailSource<E, P> {
  /** Told with a failure to read. */
  about: object;
  /** A page behind a place; null when the log is gone. `again` asks for another look soon, though no wake-up may come. */
  read(after: P): Promise<(TailPage<E, P> & { again?: boolean }) | null>;
  /** Calls `wake` when something may have been appended; returns the function that stops it. */
  listen(wake: () => void): () => void;
  placeOf(event: E): P;
  isBefore(a: P, b: P): boolean;
  /** What viewers are told when the log is gone. */
  gone(): Error;
  /** Rest between two looks, milliseconds, so that many commits share one; 0: look at every wake-up. */
  restMs: number;
}

export interface TailOptions {
  log: { warn(fields: object, message: string): void };
  /** Longest silence between two looks, milliseconds. */
  pollMs: number;
  /** Newest events kept, so that a viewer who is slightly behind can join without reading again. */
  remembered: number;
  onClosed: () => void;
}

/** Reads one log by cursor for all of its viewers, on wake-ups and at least once per `pollMs`. */
export class LogTail<E, P> {
  readonly #source: TailSource<E, P>;
  readonly #options: TailOptions;
  readonly #viewers = new Set<TailViewer<E, P>>();
  readonly #stopListening: () => void;
  #recent: E[] = [];
  /** The place before the first of `recent`. */
  #recentFrom: P;
  #place: P;
  #caughtUp = false;
  #reading = false;
  #readAgain = false;
  #closed = false;
  /** Looks in a row that found something which could not be read yet. */
  #patience = 0;
  #poll: NodeJS.Timeout | undefined;
  #rest: NodeJS.Timeout | undefined;

  constructor(source: TailSource<E, P>, place: P, options: TailOptions) {
    this.#source = source;
    this.#options = options;
    this.#place = place;
    this.#recentFrom = place;
    this.#stopListening = source.listen(() => this.#wake());
    // Something may have been committed after the viewer's last page and before we listened.
    this.#wake();
  }

  /** Null when the reader is further than it remembers. */
  join(after: P, viewer: TailViewer<E, P>): (() => void) | null {
    const { placeOf, isBefore } = this.#source;
    if (isBefore(after, this.#recentFrom)) {
      if (this.#viewers.size === 0) this.close();
      return null;
    }
    this.#viewers.add(viewer);
    const missed = this.#recent.filter((event) => isBefore(after, placeOf(event)));
    if (missed.length > 0) viewer.receive({ events: missed, scannedTo: this.#place, caughtUp: this.#caughtUp });
    return () => {
      this.#viewers.delete(viewer);
      if (this.#viewers.size === 0) this.close();
    };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#poll);
    clearTimeout(this.#rest);
    this.#stopListening();
    this.#options.onClosed();
  }

  #wake(): void {
    if (this.#reading || this.#rest !== undefined) this.#readAgain = true;
    else if (!this.#closed) void this.#read();
  }

  async #read(): Promise<void> {
    this.#reading = true;
    try {
      do {
        this.#readAgain = false;
        const page = await this.#source.read(this.#place);
        if (this.#closed) return;
        if (page === null) {
          for (const viewer of [...this.#viewers]) viewer.fail(this.#source.gone());
          this.close();
          return;
        }
        this.#deliver(page);
        this.#patience = page.again === true ? this.#patience + 1 : 0;
      } while ((!this.#caughtUp || (this.#readAgain && this.#source.restMs === 0)) && !this.#closed);
    } catch (error) {
      // The database may be away for a moment; nothing is lost, the next look reads on from the same place.
      this.#options.log.warn({ err: error, ...this.#source.about }, "could not read the tail of a log");
    } finally {
      this.#reading = false;
      this.#pause();
    }
  }

  #pause(): void {
    const { pollMs } = this.#options;
    if (this.#closed) {
      clearInterval(this.#poll);
      return;
    }
    // One timer for the reader's life, put off by every read: making one costs more than what most reads bring.
    if (this.#poll === undefined) this.#poll = setInterval(() => this.#wake(), pollMs);
    else this.#poll.refresh();
    const { restMs } = this.#source;
    if (restMs === 0) return;
    if (this.#patience > 0) this.#readAgain = true;
    this.#rest = setTimeout(
      () => {
        this.#rest = undefined;
        if (this.#readAgain) this.#wake();
      },
      Math.min(restMs * 2 ** Math.max(0, this.#patience - 1), pollMs),
    );
  }

  #deliver(page: TailPage<E, P>): void {
    const { placeOf, isBefore } = this.#source;
    if (isBefore(this.#place, page.scannedTo)) this.#place = page.scannedTo;
    this.#caughtUp = page.caughtUp;
    this.#recent.push(...page.events);
    const surplus = this.#recent.length - this.#options.remembered;
    if (surplus > 0) {
      const dropped = this.#recent.splice(0, surplus).at(-1);
      if (dropped !== undefined) this.#recentFrom = placeOf(dropped);
    }
    for (const viewer of [...this.#viewers]) viewer.receive(page);
  }
}
