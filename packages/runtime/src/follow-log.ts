import type { TailPage, TailViewer } from "./log-tail.ts";

/** What one look at a log brought, already reduced to what the viewer may see. */
export interface LogPart<E, P> {
  events: E[];
  scannedTo: P;
  caughtUp: boolean;
}

/** A log as one viewer follows it. */
export interface FollowedLog<E, P> {
  /** A page behind a place. */
  read(after: P): Promise<LogPart<E, P>>;
  /** Joins the shared reader behind a place; null when it is further than it remembers. */
  join(after: P, viewer: TailViewer<E, P>): (() => void) | null;
  /** Whether the viewer is shown an event that the shared reader brought. */
  accepts(event: E): boolean;
  placeOf(event: E): P;
  isBefore(a: P, b: P): boolean;
  /** What ends a stream whose consumer is too slow; it stands at this place. */
  tooSlow(place: P): Error;
  /** Events that may wait for the consumer. */
  maxBuffered: number;
}

/** Where a stream stands: what a look from outside can tell. */
export interface LogProgress<P> {
  /** Behind everything that was handed to the consumer. */
  place: P;
  /** How far the log was seen to go. */
  seenTo: P;
  /** Events that wait for the consumer. */
  buffered: number;
}

/** What a part becomes for the consumer: null for nothing worth saying; `last` ends the stream behind it. */
export interface Step<F> {
  frame: F | null;
  last: boolean;
}

export interface FollowOptions<E, P, F> {
  log: FollowedLog<E, P>;
  start: P;
  /** `place` is behind everything up to the end of the part. */
  step(part: LogPart<E, P>, place: P, first: boolean): Step<F>;
  /** The last frame instead of an error; null when the error is the end. */
  lastWord(error: unknown, place: P): F | null;
}

/** The backlog of a log in pages, then its tail, with one place that moves forward and no seam between the two. */
export class LogFollower<E, P, F> {
  readonly #options: FollowOptions<E, P, F>;
  readonly #log: FollowedLog<E, P>;
  readonly #inbox: Inbox<E, P>;
  #place: P;

  constructor(options: FollowOptions<E, P, F>) {
    this.#options = options;
    this.#log = options.log;
    this.#place = options.start;
    this.#inbox = new Inbox(options.log);
  }

  get progress(): LogProgress<P> {
    return { place: this.#place, seenTo: this.#inbox.seenTo ?? this.#place, buffered: this.#inbox.buffered };
  }

  /** Everything, until the signal aborts or the log says its last word. To be called once. */
  async *frames(signal: AbortSignal): AsyncGenerator<F, void> {
    const log = this.#log;
    const inbox = this.#inbox;
    signal.addEventListener("abort", () => inbox.stopWaiting(), { once: true });
    try {
      for (let first = true, joined = false; !joined; first = false) {
        const part = await log.read(this.#place);
        if (signal.aborted) return;
        const { frame, last } = this.#advance(part, first);
        if (frame !== null) yield frame;
        if (last || signal.aborted) return;
        if (part.caughtUp) joined = inbox.leaveWith(log.join(this.#place, inbox));
      }
      while (!signal.aborted) {
        await inbox.filled();
        if (signal.aborted) return;
        const { frame, last } = this.#advance(inbox.take(this.#place), false);
        if (frame !== null) yield frame;
        if (last) return;
      }
    } catch (error) {
      const frame = this.#options.lastWord(error, this.#place);
      if (frame === null) throw error;
      yield frame;
    } finally {
      inbox.leave();
    }
  }

  #advance(part: LogPart<E, P>, first: boolean): Step<F> {
    if (this.#log.isBefore(this.#place, part.scannedTo)) this.#place = part.scannedTo;
    return this.#options.step(part, this.#place, first);
  }
}

/** What the shared reader delivered and the consumer has not taken yet. */
class Inbox<E, P> implements TailViewer<E, P> {
  readonly #log: FollowedLog<E, P>;
  #part: LogPart<E, P> | null = null;
  #error: Error | null = null;
  #overflown = false;
  #wake: (() => void) | null = null;
  #stopped = false;
  #leave: (() => void) | null = null;
  #seenTo: P | null = null;

  constructor(log: FollowedLog<E, P>) {
    this.#log = log;
  }

  get buffered(): number {
    return this.#part?.events.length ?? 0;
  }

  get seenTo(): P | null {
    return this.#seenTo;
  }

  /** How to leave the reader again; false when it could not be joined. */
  leaveWith(leave: (() => void) | null): boolean {
    this.#leave = leave;
    if (this.#overflown) this.leave();
    return leave !== null;
  }

  leave(): void {
    this.#leave?.();
    this.#leave = null;
  }

  receive(page: TailPage<E, P>): void {
    if (this.#overflown) return;
    const part = this.#part ?? { events: [], scannedTo: page.scannedTo, caughtUp: false };
    this.#part = part;
    for (const event of page.events) if (this.#log.accepts(event)) part.events.push(event);
    part.scannedTo = page.scannedTo;
    part.caughtUp = page.caughtUp;
    this.#seenTo = page.scannedTo;
    if (part.events.length > this.#log.maxBuffered) {
      // The log keeps what was not taken: nothing has to be held for a reader that will come back with its cursor.
      this.#overflown = true;
      part.events = [];
      this.leave();
    }
    this.#wake?.();
  }

  fail(error: Error): void {
    this.#error = error;
    this.#wake?.();
  }

  async filled(): Promise<void> {
    if (this.#part !== null || this.#error !== null || this.#stopped) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = null;
  }

  stopWaiting(): void {
    this.#stopped = true;
    this.#wake?.();
  }

  /** Everything behind `place`; throws what ended the stream instead. */
  take(place: P): LogPart<E, P> {
    if (this.#overflown) throw this.#log.tooSlow(place);
    if (this.#part === null) throw this.#error ?? new Error("took from an empty inbox");
    const { isBefore, placeOf } = this.#log;
    const part = this.#part;
    this.#part = null;
    return { ...part, events: part.events.filter((event) => isBefore(place, placeOf(event))) };
  }
}
