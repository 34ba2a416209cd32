/** Waiting between attempts: the longer they fail, the longer it waits, and never two clients in step. */
export interface Backoff {
  /** An attempt failed: the next one has to wait. */
  failed(): void;
  /** Something worked: the next failure starts from the shortest wait again. */
  worked(): void;
  /** Answers when the next attempt may begin, or at once when `signal` aborts. */
  ready(signal: AbortSignal): Promise<void>;
  /** Ends every current wait: something outside says that now is a good moment. */
  skip(): void;
}

/** The first wait is up to `firstMs`; each further one doubles, up to `maxMs`; half of every wait is chance. */
export function createBackoff({
  firstMs = 250,
  maxMs = 10_000,
  random = Math.random,
}: {
  firstMs?: number;
  maxMs?: number;
  random?: () => number;
}): Backoff {
  let failures = 0;
  let notBefore = 0;
  const waiting = new Set<() => void>();

  return {
    failed() {
      const longestMs = Math.min(maxMs, firstMs * 2 ** Math.min(failures, 20));
      failures += 1;
      notBefore = performance.now() + longestMs * (0.5 + random() / 2);
    },
    worked() {
      failures = 0;
    },
    async ready(signal) {
      const waitMs = notBefore - performance.now();
      if (waitMs <= 0 || signal.aborted) return;
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          waiting.delete(done);
          signal.removeEventListener("abort", done);
          resolve();
        };
        const timer = setTimeout(done, waitMs);
        waiting.add(done);
        signal.addEventListener("abort", done);
      });
    },
    skip() {
      notBefore = 0;
      for (const done of [...waiting]) done();
    },
  };
}
