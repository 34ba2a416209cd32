import { Refusal } from "@wheelhouse/domain";
import type { GraphContext } from "./context.ts";

/** How often the caller's authority is asked again while a stream lasts, milliseconds. */
const recheckMs = 15_000;

/** What a stream yields: a value, or what ended it, so that the last word reaches the reader as an error of the field. */
export type Frame<T> = { value: T } | { error: unknown };

/** The value of a frame; throws what ended the stream. */
export function delivered<T>(frame: Frame<T>): T {
  if ("error" in frame) throw frame.error;
  return frame.value;
}

/** What a stream reads from: an iterator that can be left at any moment. */
interface Source<T> {
  next(): Promise<IteratorResult<T, unknown>>;
  return?(): Promise<unknown>;
}

/**
 * Guards a stream: ends it when the caller's authority is gone, and hands an error over as its last frame. An error
 * that escaped from a subscription's source would close the whole socket instead of one stream.
 */
export function guarded<T>(context: GraphContext, source: Source<T>): AsyncIterableIterator<Frame<T>> {
  let ended = false;
  let lastCheck = Date.now();
  let refuse: ((frame: Frame<T>) => void) | null = null;
  const refused: Frame<T> = {
    error: new Refusal("UNAUTHENTICATED", "The access of this stream was revoked or has expired"),
  };
  const end = async (): Promise<void> => {
    ended = true;
    clearInterval(timer);
    await source.return?.();
  };
  const allowed = async (): Promise<boolean> => {
    lastCheck = Date.now();
    return context.stillAllowed().catch(() => true);
  };
  const timer = setInterval(() => {
    void allowed().then((still) => {
      if (!still && !ended) refuse?.(refused);
    });
  }, recheckMs);
  timer.unref();

  // Whichever comes first. One promise per frame: racing promises cost several, for every frame of every reader.
  const first = (): Promise<Frame<T> | null> =>
    new Promise((resolve) => {
      refuse = resolve;
      source.next().then(
        (result) => resolve(result.done ? null : { value: result.value }),
        (error: unknown) => resolve({ error }),
      );
    });
  const next = async (): Promise<Frame<T> | null> =>
    Date.now() - lastCheck > recheckMs && !(await allowed()) ? refused : first();
  return {
    async next() {
      if (ended) return { done: true, value: undefined };
      const frame = await next();
      if (frame === null || "error" in frame) await end();
      return frame === null ? { done: true, value: undefined } : { done: false, value: frame };
    },
    async return() {
      await end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
