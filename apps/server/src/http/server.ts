import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Log } from "@wheelhouse/runtime";
import { answerJson, BodyTooLarge, graphqlError, maxBodyBytes, readBody } from "./answers.ts";
import type { Health } from "./health.ts";
import { isTrustedOrigin } from "./origins.ts";
import { withRequestId } from "./request-id.ts";

/** What the one port leads to, once everything is open. */
export interface Rooms {
  graphql(request: IncomingMessage & { body?: string }, response: ServerResponse): Promise<void>;
  graphqlSocket(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  artifacts(request: IncomingMessage, response: ServerResponse): Promise<void>;
  setup(request: IncomingMessage, response: ServerResponse): Promise<void>;
  signIn(request: IncomingMessage, response: ServerResponse): Promise<void>;
  pages(request: IncomingMessage, response: ServerResponse): Promise<void>;
  pagesSocket(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface HttpOptions {
  host: string;
  port: number;
  health: () => Promise<Health>;
  /** Names of the parts that no longer get on. */
  liveness: () => Promise<{ stuck: string[] }>;
  trustedOrigins: readonly string[];
  newId: () => string;
  log: Log;
}

export interface HttpServer {
  readonly port: number;
  /** Opens the rooms; until then only health answers. */
  open(rooms: Rooms): void;
  /** Takes no more connections; the ones at hand go on until `cut`. */
  stop(): void;
  /** Ends every connection. */
  cut(): Promise<void>;
}

/** Longest time a request may take to arrive, milliseconds. */
const uploadTimeoutMs = 3_600_000;

/** Listens on one port for everything. */
export async function listen(options: HttpOptions): Promise<HttpServer> {
  let rooms: Rooms | null = null;
  const server = createServer((request, response) => {
    const requestId = options.newId();
    response.setHeader("x-request-id", requestId);
    response.setHeader("x-content-type-options", "nosniff");
    response.setHeader("x-frame-options", "DENY");
    response.setHeader("referrer-policy", "strict-origin-when-cross-origin");
    withRequestId(requestId, () => answer(options, rooms, request, response)).catch((error: unknown) => {
      if (error instanceof BodyTooLarge) {
        response.setHeader("connection", "close");
        const message = `The request body is longer than ${maxBodyBytes} bytes`;
        return answerJson(response, 413, graphqlError("PAYLOAD_TOO_LARGE", message, { retryable: false }));
      }
      options.log.error({ err: error, requestId, path: pathOf(request) }, "a request failed");
      answerJson(response, 500, graphqlError("INTERNAL", "Something went wrong on our side", { requestId }));
    });
  });
  // A body of some gigabytes may take its time.
  server.requestTimeout = uploadTimeoutMs;
  server.on("upgrade", (request, socket, head) => upgrade(options, rooms, request, socket, head));
  await listening(server, options);
  const closed = new Promise<void>((resolve) => server.once("close", () => resolve()));
  return {
    port: portOf(server),
    open(opened) {
      rooms = opened;
    },
    stop() {
      server.close();
      server.closeIdleConnections();
    },
    async cut() {
      server.closeAllConnections();
      await closed;
    },
  };
}

const pathOf = (request: IncomingMessage): string => (request.url ?? "/").split("?")[0] ?? "/";
const originOf = ({ headers }: IncomingMessage) => ({ origin: headers.origin, host: headers.host });

/** Below it lie the bytes of artifacts; the address itself is a page. */
const isArtifact = (path: string): boolean => path.startsWith("/artifacts/");
const writes = new Set(["POST", "PUT"]);

async function answer(
  options: HttpOptions,
  rooms: Rooms | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = pathOf(request);
  if (path === "/livez") {
    const { stuck } = await options.liveness();
    return answerJson(
      response,
      stuck.length > 0 ? 503 : 200,
      stuck.length > 0 ? { status: "stuck", stuck } : { status: "ok" },
    );
  }
  if (path === "/readyz") {
    const health = await options.health();
    return answerJson(response, health.ready ? 200 : 503, health);
  }
  if (rooms === null) {
    response.setHeader("retry-after", "2");
    return answerJson(response, 503, graphqlError("NOT_READY", "The server is not ready; /readyz says why"));
  }
  const isApi = path === "/graphql" || path === "/api/setup" || isArtifact(path);
  if (isApi && writes.has(request.method ?? "") && !isTrustedOrigin(originOf(request), options.trustedOrigins))
    return answerJson(response, 403, graphqlError("FORBIDDEN", "Requests from this origin are not accepted"));
  if (path === "/graphql")
    return rooms.graphql(
      request.method === "POST" ? Object.assign(request, { body: await readBody(request) }) : request,
      response,
    );
  if (isArtifact(path)) return rooms.artifacts(request, response);
  if (path === "/api/setup") return rooms.setup(request, response);
  if (path.startsWith("/api/auth/")) return rooms.signIn(request, response);
  return rooms.pages(request, response);
}

function upgrade(options: HttpOptions, rooms: Rooms | null, request: IncomingMessage, socket: Duplex, head: Buffer) {
  socket.on("error", () => socket.destroy());
  const refuse = (status: string) => socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  if (rooms === null) return refuse("503 Service Unavailable");
  if (pathOf(request) !== "/graphql") return rooms.pagesSocket(request, socket, head);
  // Browsers send cookies along from any page: only the origin tells whose page it is.
  if (!isTrustedOrigin(originOf(request), options.trustedOrigins)) return refuse("403 Forbidden");
  return rooms.graphqlSocket(request, socket, head);
}

function listening(server: Server, { host, port }: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
