import type { SubscribePayload } from "graphql-ws/client";
import { createBackoff } from "./backoff.ts";
import { errorOfAnswer, type GraphQLRequestError, textExtension } from "./request-error.ts";
import type { SocketLink, StreamEnd, StreamResult } from "./socket-link.ts";

/**
 * Where a live reader stands, for the eyes of a user. `connecting`: for the first time · `catching-up`: reading what was
 * there before · `live`: everything was delivered, new things come as they happen · `reconnecting`: the connection is
 * gone, or the server could not answer; it is tried again for ever · `closed`: ended, by its end, an error or an abort.
 */
export type WatchState = "connecting" | "catching-up" | "live" | "reconnecting" | "closed";

/** Frames that may wait for a slow consumer; past it the stream is closed and later resumed where the consumer stands. */
const maxWaitingFrames = 256;

/** A subscription that lived this long, or brought more than one frame, is no part of a series of failures. */
const healthyAfterMs = 10_000;

/** Errors of the server's, not of the request's: the same request may work in a moment. */
const passingCodes: ReadonlySet<string> = new Set([
  "INTERNAL",
  "INTERNAL_ERROR",
  "INTERNAL_SERVER_ERROR",
  "SERVICE_UNAVAILABLE",
  "UNAVAILABLE",
  "TIMEOUT",
  "RATE_LIMITED",
]);

export interface Frame {
  data: Record<string, unknown>;
  /** The first one of a subscription: the very first, or after a connection was lost. */
  first: boolean;
}

export interface FollowOptions {
  /** Asked before every subscription, after all earlier frames were taken. */
  payload: () => SubscribePayload;
  signal: AbortSignal;
  /** Told every state but `live`, which only the reader of the frames can tell. */
  onState: (state: WatchState) => void;
  /** The server ended the stream and names the place to go on from, null when it names none, and why. */
  onResync: (cursor: string | null, reason: string | null) => void;
}

/**
 * The frames of a subscription over any number of connections. Reconnects for ever; ends when the signal aborts, and
 * throws the server's error when that says that asking again is of no use.
 */
export async function* follow(link: SocketLink, options: FollowOptions): AsyncGenerator<Frame, void, void> {
  const { signal, onState } = options;
  const backoff = createBackoff({ maxMs: link.maxBackoffMs });
  onState("connecting");
  try {
    while (!signal.aborted) {
      await link.ready(signal);
      await backoff.ready(signal);
      if (signal.aborted) return;
      const openedAt = performance.now();
      let frames = 0;
      const stream = openFrames(link, options.payload(), signal, () => onState("catching-up"));
      try {
        let item = await stream.take();
        for (; item.kind === "frame"; item = await stream.take()) {
          yield { data: item.data, first: frames === 0 };
          frames += 1;
        }
        if (item.kind === "aborted") return;
        if (item.kind === "paused") continue;
        if (frames > 1 || performance.now() - openedAt > healthyAfterMs) backoff.worked();
        // A lost connection waits by the link's own back-off, together with all other streams.
        if (item.kind !== "lost") backoff.failed();
        if (item.kind === "failed") recover(item.error, options.onResync);
        onState("reconnecting");
      } finally {
        stream.close();
      }
    }
  } finally {
    onState("closed");
  }
}

/** Throws an error that is final; answers when the subscription should be tried again. */
function recover(error: GraphQLRequestError, onResync: FollowOptions["onResync"]): void {
  if (error.code === "RESYNC") {
    const [first] = error.errors;
    onResync(textExtension(first, "cursor"), textExtension(first, "reason"));
    return;
  }
  if (passingCodes.has(error.code) || error.errors[0]?.extensions?.retryable === true) return;
  throw error;
}

type Item = { kind: "frame"; data: Record<string, unknown> } | StreamEnd | { kind: "paused" } | { kind: "aborted" };

/** One subscription as a queue. After the item that is no frame nothing follows. */
function openFrames(link: SocketLink, payload: SubscribePayload, signal: AbortSignal, onConnected: () => void) {
  const waiting: Item[] = [];
  let wake: (() => void) | undefined;
  let close: (() => void) | undefined;

  const push = (item: Item): void => {
    waiting.push(item);
    wake?.();
  };
  const end = (item: Item): void => {
    close?.();
    push(item);
  };
  const onAbort = (): void => {
    waiting.length = 0;
    end({ kind: "aborted" });
  };

  close = link.open(payload, {
    connected: onConnected,
    next(result: StreamResult) {
      if (result.errors && result.errors.length > 0) {
        end({ kind: "failed", error: errorOfAnswer(result.errors, { data: result.data }) });
      } else if (result.data) {
        push({ kind: "frame", data: result.data });
        if (waiting.length >= maxWaitingFrames) end({ kind: "paused" });
      }
    },
    ended: push,
  });
  signal.addEventListener("abort", onAbort);

  return {
    async take(): Promise<Item> {
      for (;;) {
        const item = waiting.shift();
        if (item) return item;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = undefined;
      }
    },
    close() {
      signal.removeEventListener("abort", onAbort);
      close?.();
    },
  };
}

/** The end of a client. Readers by the hundred wait for it, which an AbortSignal takes for a leak of listeners. */
export class Closing {
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  begin(): void {
    this.#isOver = true;
    for (const end of [...this.#waiting]) end();
  }

  add(end: () => void): void {
    this.#waiting.add(end);
  }

  remove(end: () => void): void {
    this.#waiting.delete(end);
  }
}

/**
 * Runs a generator so that leaving the loop over it, its own `return()`, the signal or the end of the client stop it at
 * once, also while it waits for the next frame.
 */
export function abortable<T>(
  { signal, closing }: { signal?: AbortSignal | undefined; closing?: Closing | undefined },
  start: (signal: AbortSignal) => AsyncGenerator<T, void, void>,
): AsyncIterableIterator<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (signal?.aborted === true || closing?.isOver === true) abort();
  signal?.addEventListener("abort", abort);
  closing?.add(abort);
  const generator = start(controller.signal);
  const stop = (): void => {
    signal?.removeEventListener("abort", abort);
    closing?.remove(abort);
    abort();
  };
  const settle = async (step: Promise<IteratorResult<T, void>>): Promise<IteratorResult<T, void>> => {
    try {
      const result = await step;
      if (result.done) stop();
      return result;
    } catch (error) {
      stop();
      throw error;
    }
  };
  return {
    next: () => settle(generator.next()),
    return() {
      stop();
      return settle(generator.return());
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
