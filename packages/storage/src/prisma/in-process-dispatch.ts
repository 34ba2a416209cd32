import type { Dispatching, RunDispatch, RunTaker, WakeUps } from "../port.ts";

/** The dispatch of databases that have one process: the worker looks at once, on wake-ups, and by and by. */
export function inProcessDispatch(wakeUps: WakeUps): RunDispatch {
  return {
    start: (taker, { pollMs }) => new Looking(wakeUps, taker, pollMs),
    // Whoever looks takes what can be had, abandoned runs too.
    recoverExpired: async () => 0,
    repair: async () => ({ unlocked: 0, dispatched: 0 }),
  };
}

class Looking implements Dispatching {
  readonly #taker: RunTaker;
  readonly #poll: NodeJS.Timeout;
  readonly #stopListening: () => void;
  #looking: Promise<void> | null = null;
  #lookAgain = false;
  #stopped = false;
  lookedAt = performance.now();

  constructor(wakeUps: WakeUps, taker: RunTaker, pollMs: number) {
    this.#taker = taker;
    this.#stopListening = wakeUps.onRunnable(() => this.#lookSoon());
    this.#poll = setInterval(() => this.#lookSoon(), pollMs);
    this.#lookSoon();
  }

  placeFree(): void {
    this.#lookSoon();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#poll);
    this.#stopListening();
    await this.#looking;
  }

  #lookSoon(): void {
    if (this.#stopped) return;
    if (this.#looking !== null) {
      this.#lookAgain = true;
      return;
    }
    this.#looking = this.#look().finally(() => {
      this.#looking = null;
      if (!this.#lookAgain) return;
      this.#lookAgain = false;
      this.#lookSoon();
    });
  }

  async #look(): Promise<void> {
    if (this.#taker.free() > 0) {
      try {
        await this.#taker.take(null);
      } catch {
        // The taker has told it; the poll tries on.
        return;
      }
    }
    this.lookedAt = performance.now();
  }
}
