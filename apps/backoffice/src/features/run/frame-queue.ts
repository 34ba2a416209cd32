/** Collects items and hands them over together, once per frame of the screen. */
export interface FrameQueue<T> {
  push(items: readonly T[]): void;
  /** Hands over what is waiting now. */
  flush(): void;
  close(): void;
}

/** Longest wait when the browser draws no frames, as in a tab in the background; milliseconds. */
const hiddenTabMs = 250;

/** A stream may bring far more pages than the screen draws frames: each frame folds what came since the last one. */
export function createFrameQueue<T>(apply: (items: readonly T[]) => void): FrameQueue<T> {
  let waiting: T[] = [];
  let cancel: (() => void) | null = null;

  const flush = (): void => {
    cancel?.();
    cancel = null;
    if (waiting.length === 0) return;
    const items = waiting;
    waiting = [];
    apply(items);
  };

  return {
    push(items) {
      for (const item of items) waiting.push(item);
      if (waiting.length > 0) cancel ??= nextFrame(flush);
    },
    flush,
    close() {
      cancel?.();
      cancel = null;
      waiting = [];
    },
  };
}

function nextFrame(run: () => void): () => void {
  const timer = setTimeout(run, hiddenTabMs);
  const frame = typeof requestAnimationFrame === "function" ? requestAnimationFrame(run) : null;
  return () => {
    clearTimeout(timer);
    if (frame !== null) cancelAnimationFrame(frame);
  };
}
