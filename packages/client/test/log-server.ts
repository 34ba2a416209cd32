import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buildSchema, type DocumentNode, GraphQLError, parse } from "graphql";
import { useServer } from "graphql-ws/use/ws";
import { type WebSocket, WebSocketServer } from "ws";

const schema = buildSchema(`
  type Query { greeting(name: String): String }
  type Mutation { say(text: String!): String }
  type Event { sequence: Int! sessionId: ID! text: String! }
  type EventPage { events: [Event!]! endCursor: String! caughtUp: Boolean! terminal: Boolean! }
  type Subscription {
    sessionEvents(sessionId: ID!, after: String): EventPage!
    runEvents(runId: ID!, after: String): EventPage!
    counter: Int!
  }
`);

export interface LogPage {
  events: { sequence: number; sessionId: string; text: string }[];
  endCursor: string;
  caughtUp: boolean;
  terminal: boolean;
}

/**
 * A server with one endless log and one socket protocol, the real one of graphql-ws. What it does to its sockets and
 * streams is up to the test.
 */
export async function startLogServer() {
  const log: string[] = [];
  const waiting = new Set<() => void>();
  const sockets = new Set<Socket>();
  const webSockets = new Set<WebSocket>();
  const seen = { connections: 0, subscriptions: [] as (string | null)[], params: [] as unknown[], open: 0 };
  /** What the next subscriptions meet before anything else. */
  const refusals: GraphQLError[] = [];
  const settings = {
    pageSize: 50,
    overlap: 0,
    finishedAt: Number.POSITIVE_INFINITY,
    refuseConnections: 0,
    closeCode: 0,
  };

  const wakeAll = (): void => {
    for (const wake of [...waiting]) wake();
  };

  async function* pages(after: string | null | undefined): AsyncGenerator<LogPage> {
    seen.subscriptions.push(after ?? null);
    seen.open += 1;
    try {
      let position = Math.max(0, Number(after ?? 0) - settings.overlap);
      for (;;) {
        const refusal = refusals.shift();
        if (refusal) throw refusal;
        const events = log
          .slice(position, position + settings.pageSize)
          .map((text, index) => ({ sequence: position + index + 1, sessionId: "s", text }));
        position += events.length;
        const caughtUp = position >= log.length;
        const terminal = position >= settings.finishedAt;
        yield { events, endCursor: String(position), caughtUp, terminal };
        if (terminal) return;
        if (caughtUp) {
          await new Promise<void>((resolve) => {
            const wake = (): void => {
              waiting.delete(wake);
              resolve();
            };
            waiting.add(wake);
          });
        }
      }
    } finally {
      seen.open -= 1;
    }
  }

  async function* counter(): AsyncGenerator<number> {
    for (let count = 1; ; count += 1) {
      yield count;
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
      });
    }
  }

  const root = {
    sessionEvents: async function* (args: { after?: string | null }) {
      for await (const page of pages(args.after)) yield { sessionEvents: page };
    },
    runEvents: async function* (args: { after?: string | null }) {
      for await (const page of pages(args.after)) yield { runEvents: page };
    },
    counter: async function* () {
      for await (const count of counter()) yield { counter: count };
    },
  };

  const http = createServer();
  const wss = new WebSocketServer({ server: http, path: "/graphql" });
  http.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    if (settings.refuseConnections > 0) {
      settings.refuseConnections -= 1;
      socket.destroy();
    }
  });
  wss.on("connection", (webSocket) => {
    seen.connections += 1;
    webSockets.add(webSocket);
    webSocket.on("close", () => webSockets.delete(webSocket));
    if (settings.closeCode > 0) webSocket.close(settings.closeCode, "as told");
  });
  const served = useServer(
    {
      schema,
      roots: { subscription: root },
      onConnect({ connectionParams }) {
        seen.params.push(connectionParams);
        return true;
      },
    },
    wss,
  );
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/graphql`,
    seen,
    settings,
    refusals,
    /** Adds events that say `1`, `2`, … */
    append(count: number): void {
      for (let added = 0; added < count; added += 1) log.push(String(log.length + 1));
      wakeAll();
    },
    length: () => log.length,
    tick: wakeAll,
    /** Answers when no stream is open. A stream notices that its reader left when it wakes up. */
    async idle(): Promise<void> {
      while (seen.open > 0) {
        wakeAll();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    finish(): void {
      settings.finishedAt = log.length;
      wakeAll();
    },
    /** Destroys every TCP connection, without any farewell. */
    cutSockets(): void {
      for (const socket of [...sockets]) socket.destroy();
    },
    closeWebSockets(code: number): void {
      for (const webSocket of [...webSockets]) webSocket.close(code, "as told");
    },
    /** The connections stay open and nothing arrives any more, in either direction: a cable was pulled. */
    freezeSockets(): void {
      for (const socket of [...sockets]) {
        socket.pause();
        socket.write = () => true;
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      for (const socket of [...sockets]) socket.destroy();
      await served.dispose();
      await new Promise<void>((resolve) => http.close(() => resolve()));
    },
  };
}

export type LogServer = Awaited<ReturnType<typeof startLogServer>>;

export const refusal = (code: string, extensions: Record<string, unknown> = {}): GraphQLError =>
  new GraphQLError(`refused: ${code}`, { extensions: { code, ...extensions } });

export const document = (source: string): DocumentNode => parse(source);
