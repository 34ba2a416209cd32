import { Refusal } from "@wheelhouse/domain";
import { authorityOf, type GraphContext } from "./context.ts";
import type { Subscriber, SubscriptionTarget } from "./subscribers.ts";

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

const revoked = (): Refusal => new Refusal("UNAUTHENTICATED", "The access of this stream was revoked or has expired");

const closedByOperator = (about: SubscriptionTarget): Refusal => {
  const cursor = about.progress?.().cursor;
  return new Refusal("RESYNC", "An operator closed this stream; continue from the cursor", {
    detail: { reason: "CLOSED", ...(cursor == null ? {} : { cursor }) },
  });
};

/**
 * Guards a stream: lists it among the subscribers, ends it when the caller's authority is gone or an operator closes it,
 * and hands an error over as its last frame. An error that escaped from a subscription's source would close the whole
 * socket instead of one stream.
 */
export function guarded<T>(
  context: GraphContext,
  source: Source<T>,
  about: SubscriptionTarget,
): AsyncIterableIterator<Frame<T>> {
  let ended = false;
  let lastCheck = Date.now();
  let refuse: ((frame: Frame<T>) => void) | null = null;
  /** What ends the stream at its next frame. */
  let verdict: Refusal | null = null;
  const stop = (refusal: Refusal): void => {
    if (ended) return;
    verdict ??= refusal;
    refuse?.({ error: verdict });
    // A consumer that never asks again must not hold what the source holds.
    void source.return?.();
  };
  const subscriber = subscriberOf(context, about, () => stop(closedByOperator(about)));
  const remove = context.live.subscribers.add(subscriber);
  const end = async (): Promise<void> => {
    ended = true;
    clearInterval(timer);
    remove();
    await source.return?.();
  };
  const allowed = async (): Promise<boolean> => {
    lastCheck = Date.now();
    return context.stillAllowed().catch(() => true);
  };
  const timer = setInterval(() => {
    void allowed().then((still) => {
      if (!still) stop(revoked());
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
  const next = async (): Promise<Frame<T> | null> => {
    if (verdict === null && Date.now() - lastCheck > recheckMs && !(await allowed())) verdict = revoked();
    const frame = verdict === null ? await first() : null;
    return verdict === null ? frame : { error: verdict };
  };
  return {
    async next() {
      if (ended) return { done: true, value: undefined };
      const frame = await next();
      if (frame === null || "error" in frame) await end();
      if (frame === null) return { done: true, value: undefined };
      subscriber.framesSent += 1;
      subscriber.lastFrameAt = context.live.clock.now();
      return { done: false, value: frame };
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

function subscriberOf(context: GraphContext, about: SubscriptionTarget, close: () => void): Subscriber {
  const { projectId, actor } = authorityOf(context);
  const { live, transport } = context;
  return {
    ...about,
    ...{
      id: live.newId(),
      projectId,
      actor,
      transport,
      since: live.clock.now(),
      framesSent: 0,
      lastFrameAt: null,
      close,
    },
  };
}
