/** A lock that is given in the order of asking. */
export class Turns {
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** Waits for the turn; the returned function ends it (once). */
  async take(): Promise<() => void> {
    const before = this.#tail;
    let end = (): void => undefined;
    this.#tail = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#waiting++;
    await before;
    return () => {
      this.#waiting--;
      end();
    };
  }

  async run<T>(work: () => T | Promise<T>): Promise<T> {
    const end = await this.take();
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Nobody holds the lock or waits for it. */
  get idle(): boolean {
    return this.#waiting === 0;
  }
}
