/** Rings when something may have happened. */
export interface Bell extends Disposable {
  /** Forgets that it rang: to be called before looking at what it rings for. */
  quiet(): void;
  /** Resolves when it has rung since it was last quieted. */
  rung(): Promise<void>;
}

/** A bell that is rung by what it subscribes to; disposing it ends the subscription. */
export function openBell(subscribe: (ring: () => void) => () => void): Bell {
  let hasRung = false;
  let waiting: (() => void)[] = [];
  const unsubscribe = subscribe(() => {
    hasRung = true;
    for (const answer of waiting) answer();
    waiting = [];
  });
  return {
    quiet() {
      hasRung = false;
      waiting = [];
    },
    rung: () => (hasRung ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    [Symbol.dispose]: unsubscribe,
  };
}
