/** An async iterator that lets go at once when its consumer leaves, also while it waits for the next value. */
export type Releasable<T> = AsyncIterableIterator<T> & AsyncDisposable;

/**
 * Makes an iterator of a generator that ends when `signal` aborts. A bare generator cannot be left in the middle of an
 * await: its `return()` would wait for a value that may never come, and hold what it holds until then.
 */
export function releasable<T>(generate: (signal: AbortSignal) => AsyncGenerator<T, void>): Releasable<T> {
  const left = new AbortController();
  const generator = generate(left.signal);
  const leave = async (): Promise<IteratorResult<T>> => {
    left.abort();
    await generator.return();
    return { done: true, value: undefined };
  };
  return {
    next: () => generator.next(),
    return: leave,
    async throw(error) {
      await leave();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await leave();
    },
  };
}
