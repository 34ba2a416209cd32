import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { Refusal } from "@wheelhouse/domain";
import { eventPageText, type Frame } from "@wheelhouse/graphql";
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type subscribe,
} from "graphql";
import { useServer as serveSockets } from "graphql-ws/use/ws";
import { WebSocketServer } from "ws";
import { z } from "zod";
import { headersOf, maxBodyBytes } from "./answers.ts";
import type { GraphqlServer } from "./graphql.ts";
import { pushedStream } from "./pushed-stream.ts";

/** Silence after which the server pings, and closes what does not answer; milliseconds. */
const keepAliveMs = 15_000;
/** Bytes that a socket may have waiting before it is closed: its client reads too slowly, or not at all. */
const maxBufferedBytes = 16 * 1_048_576;
const slowCheckMs = 5_000;
/** Streams of one socket. */
const maxStreams = 100;

const Params = z.record(z.string(), z.unknown()).nullish();

/** Headers that a client may also send as connection parameters, since browsers cannot set them on a socket. */
const settable = /^(authorization|x-wheelhouse-(project|scope-[a-z0-9-]+))$/;

/** The headers of the handshake, with those that the connection parameters add. */
export function headersOfSocket(request: IncomingMessage, params: unknown): Headers {
  const headers = headersOf(request);
  for (const [name, value] of Object.entries(Params.parse(params) ?? {}))
    if (typeof value === "string" && settable.test(name.toLowerCase())) headers.set(name, value);
  return headers;
}

export interface Sockets {
  /** Answers an upgrade of `/graphql`. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  readonly size: number;
  /** Says goodbye to every client (they reconnect elsewhere) and closes. */
  close(): Promise<void>;
}

/**
 * graphql-ws beside HTTP. `admit` throws a refusal when the credentials of a socket are not good; `mask` leaves of an
 * error what a caller may see.
 */
export function openSockets(graphql: GraphqlServer, admit: (headers: Headers) => Promise<void>, mask: Mask): Sockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: maxBodyBytes, perMessageDeflate: false });
  const slow = setInterval(() => {
    for (const client of server.clients) if (client.bufferedAmount > maxBufferedBytes) client.terminate();
  }, slowCheckMs);
  slow.unref();

  const graphqlWs = serveSockets(
    {
      execute: (args) => enveloped(args).execute(args),
      subscribe: async (args) => (await pushed(args, mask)) ?? enveloped(args).subscribe(args),
      async onConnect(context) {
        try {
          await admit(headersOfSocket(context.extra.request, context.connectionParams));
          return true;
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          context.extra.socket.close(error.code === "UNAUTHENTICATED" ? 4401 : 4403, error.message.slice(0, 120));
          return false;
        }
      },
      async onSubscribe(context, id, payload) {
        if (Object.keys(context.subscriptions).length > maxStreams) {
          context.extra.socket.close(4429, "Too many streams on one socket");
          return [];
        }
        const socketHeaders = headersOfSocket(context.extra.request, context.connectionParams);
        const { schema, execute, subscribe, contextFactory, parse, validate } = graphql.getEnveloped({
          socketHeaders,
          socket: context.extra.socket,
        });
        const document = parse(payload.query);
        const errors = validate(schema, document);
        if (errors.length > 0) return errors;
        return {
          schema,
          operationName: payload.operationName,
          document,
          variableValues: payload.variables,
          contextValue: await contextFactory(),
          rootValue: { execute, subscribe, id, socket: context.extra.socket },
        };
      },
    },
    server,
    keepAliveMs,
  );

  return {
    upgrade(request, socket, head) {
      server.handleUpgrade(request, socket, head, (client) => server.emit("connection", client, request));
    },
    get size() {
      return server.clients.size;
    },
    async close() {
      clearInterval(slow);
      await graphqlWs.dispose();
      for (const client of server.clients) client.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const Enveloped = z.object({
  execute: z.custom<typeof execute>((value) => typeof value === "function"),
  subscribe: z.custom<typeof subscribe>((value) => typeof value === "function"),
  id: z.string(),
  socket: z.custom<WebSocket>((value) => typeof value === "object" && value !== null),
});

/** What `onSubscribe` put into an operation's root value: the functions that its plugins wrapped, and where it goes. */
const enveloped = (args: ExecutionArgs): z.infer<typeof Enveloped> => Enveloped.parse(args.rootValue);

/** The stream of a log, whose pages need no execution; null when it is another operation, or cannot begin. */
async function pushed(args: ExecutionArgs, mask: Mask) {
  const pageText = eventPageText(args.document);
  if (pageText === null) return null;
  // What refuses to begin is asked again by the plugins' own function, which says why in the words of the API.
  const source = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in source)) return null;
  const { id, socket } = enveloped(args);
  const begin = `{"id":${JSON.stringify(id)},"type":"next","payload":{"data":`;
  return pushedStream({
    // What the fields of these documents resolve to; see event-streams.ts.
    source: (source as AsyncIterable<Frame<Parameters<typeof pageText>[0]>>)[Symbol.asyncIterator](),
    textOf: (frame) => ("value" in frame ? `${begin}${pageText(frame.value)}}}` : null),
    // The plugins' own execute would subscribe again.
    execute: async (frame) => masked(await execute({ ...args, rootValue: frame }), mask),
    socket,
  });
}

/** What a caller may see of an error. */
export type Mask = (error: GraphQLError) => GraphQLError;

const masked = (result: ExecutionResult, mask: Mask): ExecutionResult =>
  result.errors === undefined ? result : { ...result, errors: result.errors.map(mask) };
