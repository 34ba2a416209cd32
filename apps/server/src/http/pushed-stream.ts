import type { ExecutionResult } from "graphql";

/** Bytes that may wait in a socket before its stream waits too: the log keeps what a slow reader has not taken. */
const maxWaitingBytes = 262_144;

/** The part of a WebSocket that a stream writes to. */
export interface TextSocket {
  readonly bufferedAmount: number;
  send(text: string, sent: (error?: Error) => void): void;
}

/**
 * A subscription's stream whose values are written to the socket by themselves, as ready text, and not handed on: what
 * iterates over it only sees what `textOf` has no text for (null), executed, and the end.
 */
export function pushedStream<T>(options: {
  source: AsyncIterator<T>;
  /** The whole message with this value; null when it takes an execution. */
  textOf: (value: T) => string | null;
  execute: (value: T) => Promise<ExecutionResult> | ExecutionResult;
  socket: TextSocket;
}): AsyncGenerator<ExecutionResult, void, void> {
  const { source, textOf, execute, socket } = options;
  const end = async (): Promise<IteratorReturnResult<void>> => {
    await source.return?.();
    return { done: true, value: undefined };
  };
  return {
    async next() {
      for (;;) {
        const step = await source.next();
        if (step.done) return { done: true, value: undefined };
        const text = textOf(step.value);
        if (text === null) return { done: false, value: await execute(step.value) };
        if (socket.bufferedAmount > maxWaitingBytes) await new Promise<void>((sent) => socket.send(text, () => sent()));
        else socket.send(text, ignoreClosed);
      }
    },
    return: end,
    async throw(error) {
      await end();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await end();
    },
  };
}

/** A socket that closes ends its streams: nobody waits for what could not be sent. */
const ignoreClosed = (): void => undefined;
