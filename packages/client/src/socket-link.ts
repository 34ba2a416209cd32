import {
  type Client,
  CloseCode,
  createClient,
  type FormattedExecutionResult,
  MessageType,
  type SubscribePayload,
} from "graphql-ws/client";
import { createBackoff } from "./backoff.ts";
import { errorOfAnswer, GraphQLRequestError } from "./request-error.ts";
import { onWakeSignals } from "./wake-signals.ts";

/** A standard WebSocket class: the browser's own, Node's (22 and later), or the one of the npm package `ws`. */
export type WebSocketConstructor = new (
  url: string,
  protocols?: string,
) => { addEventListener(type: "error", listener: () => void): void };

/** Why a stream ended. `lost` says nothing about the stream: only the connection under it went away. */
export type StreamEnd = { kind: "completed" } | { kind: "lost" } | { kind: "failed"; error: GraphQLRequestError };

export type StreamResult = FormattedExecutionResult<Record<string, unknown>, unknown>;

export interface StreamSink {
  /** The subscription is on its way over a connection that the server has accepted. */
  connected(): void;
  next(result: StreamResult): void;
  /** Called once, unless the stream was closed from this side. */
  ended(end: StreamEnd): void;
}

/** One WebSocket under all streams of a client: opened with the first, closed a little after the last. */
export interface SocketLink {
  /** Longest wait between two attempts, milliseconds. */
  readonly maxBackoffMs: number;
  /** Answers when a connection may be attempted; at once when there is one. */
  ready(signal: AbortSignal): Promise<void>;
  /** Starts a stream; returns the function that closes it. It never reconnects by itself: an end is an end. */
  open(payload: SubscribePayload, sink: StreamSink): () => void;
  /** Now is a good moment: attempts without waiting, and asks an open connection for a sign of life. */
  wake(): void;
  /** Closes the connection. Streams must have been closed before: one that is open would only be lost. */
  close(): Promise<void>;
}

export interface SocketLinkOptions {
  /** `ws://` or `wss://`. */
  url: string;
  webSocket: WebSocketConstructor | undefined;
  connectionParams: () => Promise<Record<string, string>>;
  timings: LinkTimings;
}

/** Milliseconds. A connection that stopped answering is noticed after at most `keepAliveMs + pongMs`. */
export interface LinkTimings {
  /** Silence after which the server is asked for a sign of life. */
  keepAliveMs: number;
  /** How long that sign may take. Anything that arrives meanwhile counts and starts the wait anew. */
  pongMs: number;
  /** How long a connection may take until the server has accepted it. */
  connectMs: number;
  /** How long an unused connection is kept for the next stream. */
  lingerMs: number;
  /** Longest wait between two attempts. */
  maxBackoffMs: number;
}

export const defaultLinkTimings: LinkTimings = {
  keepAliveMs: 10_000,
  pongMs: 5_000,
  connectMs: 10_000,
  lingerMs: 1_000,
  maxBackoffMs: 10_000,
};

/** Close codes by which a server says that trying again the same way is of no use. */
const refusingCloseCodes = new Map<number, string>([
  [CloseCode.Unauthorized, "UNAUTHENTICATED"],
  [CloseCode.Forbidden, "FORBIDDEN"],
  [CloseCode.BadRequest, "BAD_REQUEST"],
  [CloseCode.SubprotocolNotAcceptable, "BAD_REQUEST"],
]);

export function createSocketLink(options: SocketLinkOptions): SocketLink {
  const backoff = createBackoff({ maxMs: options.timings.maxBackoffMs });
  const streams = new Set<{ sink: StreamSink; end: (end: StreamEnd) => void }>();
  let connection: WatchedConnection | undefined;
  let stopListening: (() => void) | undefined;

  const link: SocketLink = {
    maxBackoffMs: options.timings.maxBackoffMs,
    ready: (signal) => backoff.ready(signal),

    open(payload, sink) {
      connection ??= watchConnection(options, {
        connected() {
          for (const stream of [...streams]) stream.sink.connected();
        },
        alive: () => backoff.worked(),
        lost(closeEvent) {
          if (streams.size > 0) backoff.failed();
          for (const stream of [...streams]) stream.end(endOfConnection(closeEvent));
        },
      });
      stopListening ??= onWakeSignals(link.wake);

      let unsubscribe: (() => void) | undefined;
      const stream = {
        sink,
        end(end: StreamEnd) {
          if (!streams.delete(stream)) return;
          unsubscribe?.();
          sink.ended(end);
        },
      };
      streams.add(stream);
      if (connection.isConnected()) sink.connected();
      unsubscribe = connection.client.subscribe(payload, {
        next(result) {
          if (streams.has(stream)) sink.next(result);
        },
        error: (error) => stream.end(endOfError(error)),
        complete: () => stream.end({ kind: "completed" }),
      });
      return () => {
        if (streams.delete(stream)) unsubscribe?.();
      };
    },

    wake() {
      backoff.skip();
      connection?.probe();
    },

    async close() {
      stopListening?.();
      stopListening = undefined;
      const closing = connection;
      connection = undefined;
      await closing?.close();
    },
  };
  return link;
}

function endOfError(error: unknown): StreamEnd {
  return Array.isArray(error) ? { kind: "failed", error: errorOfAnswer(error) } : endOfConnection(error);
}

function endOfConnection(closeEvent: unknown): StreamEnd {
  if (typeof closeEvent !== "object" || closeEvent === null || !("code" in closeEvent)) return { kind: "lost" };
  const code = typeof closeEvent.code === "number" ? refusingCloseCodes.get(closeEvent.code) : undefined;
  if (code === undefined) return { kind: "lost" };
  const reason = "reason" in closeEvent && typeof closeEvent.reason === "string" ? closeEvent.reason : "";
  return {
    kind: "failed",
    error: new GraphQLRequestError(reason || "The server refused the connection", { code }),
  };
}

interface WatchedConnection {
  client: Client;
  isConnected(): boolean;
  probe(): void;
  close(): Promise<void>;
}

/** The graphql-ws client, with what it leaves to others: noticing connections that hang while opening or while open. */
function watchConnection(
  { url, webSocket, connectionParams, timings }: SocketLinkOptions,
  listener: { connected(): void; alive(): void; lost(closeEvent: unknown): void },
): WatchedConnection {
  let phase: "down" | "connecting" | "up" = "down";
  let socket: unknown;
  let deadline: ReturnType<typeof setTimeout> | undefined;

  const giveUpAfter = (ms: number): void => {
    clearTimeout(deadline);
    deadline = setTimeout(() => client.terminate(), ms);
  };
  const isAlive = (): void => {
    clearTimeout(deadline);
    deadline = undefined;
    listener.alive();
  };
  // A failed connection reports an error and then its close; the first of the two is the end of it.
  const down = (event: unknown): void => {
    if (phase === "down") return;
    phase = "down";
    clearTimeout(deadline);
    deadline = undefined;
    listener.lost(event);
  };

  const client = createClient({
    url,
    connectionParams,
    webSocketImpl: guarded(webSocket ?? platformWebSocket()),
    lazyCloseTimeout: timings.lingerMs,
    keepAlive: timings.keepAliveMs,
    // Reconnecting is the business of each stream: only it knows from which cursor.
    retryAttempts: 0,
    on: {
      connecting() {
        phase = "connecting";
        giveUpAfter(timings.connectMs);
      },
      opened(opened) {
        socket = opened;
      },
      connected() {
        phase = "up";
        clearTimeout(deadline);
        deadline = undefined;
        listener.connected();
      },
      ping(received) {
        if (!received) giveUpAfter(timings.pongMs);
      },
      pong(received) {
        if (received) isAlive();
      },
      message(message) {
        if (message.type === MessageType.Next) listener.alive();
        // On a slow line the pong stands in a queue behind other frames: while they arrive, the line is not dead.
        if (phase === "up" && deadline !== undefined && message.type !== MessageType.Pong) giveUpAfter(timings.pongMs);
      },
      error: down,
      closed: down,
    },
  });

  return {
    client,
    isConnected: () => phase === "up",
    probe() {
      if (phase !== "up" || !canSend(socket)) return;
      socket.send(JSON.stringify({ type: MessageType.Ping }));
      giveUpAfter(timings.pongMs);
    },
    async close() {
      clearTimeout(deadline);
      if (phase === "connecting") client.terminate();
      else await client.dispose();
    },
  };
}

/** A class whose failing sockets never raise an unhandled `error` event, as those of `ws` do once nobody listens. */
function guarded(webSocket: WebSocketConstructor): WebSocketConstructor {
  return class extends webSocket {
    constructor(url: string, protocols?: string) {
      super(url, protocols);
      this.addEventListener("error", () => undefined);
    }
  };
}

function platformWebSocket(): WebSocketConstructor {
  const found: unknown = Reflect.get(globalThis, "WebSocket");
  if (isConstructor(found)) return found;
  throw new TypeError(
    "This platform has no WebSocket; give createClient one: { webSocket: WebSocket } of the package ws",
  );
}

const isConstructor = (value: unknown): value is WebSocketConstructor => typeof value === "function";

const canSend = (value: unknown): value is { send(text: string): void } =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, "send") === "function";
