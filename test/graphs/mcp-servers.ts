import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

/** A real server of the protocol on this machine, made with its official library. */
export interface RealServer extends AsyncDisposable {
  url: string;
  /** Headers of every request, in order. */
  requests: { method: string; headers: IncomingMessage["headers"]; body: string }[];
  /** Names of the tools that were called, in order. */
  called: string[];
  /** How many conversations are open now. */
  readonly conversations: number;
  /** Every conversation is forgotten, as when the server is started again. */
  forget(): void;
  /** Resolves when so many conversations are open. */
  until(conversations: number): Promise<void>;
}

export interface RealServerOptions {
  transport?: "streamable_http" | "sse";
  /** Registers the tools of a conversation. */
  tools(server: McpServer, heard: { called: string[]; headers: IncomingMessage["headers"] }): void;
  /** Answers a request itself and says so; the protocol does not see it. */
  instead?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export async function openRealServer(options: RealServerOptions): Promise<RealServer> {
  const transports = new Map<string, StreamableHTTPServerTransport | SSEServerTransport>();
  const requests: RealServer["requests"] = [];
  const called: string[] = [];
  let waiting: { count: number; resolve: () => void }[] = [];
  const changed = () => {
    for (const { resolve } of waiting.filter(({ count }) => transports.size === count)) resolve();
    waiting = waiting.filter(({ count }) => transports.size !== count);
  };
  const made = (headers: IncomingMessage["headers"]) => {
    const server = new McpServer({ name: "real", version: "1.0.0" });
    options.tools(server, { called, headers });
    return server;
  };
  async function streamable(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const session = String(request.headers["mcp-session-id"] ?? "");
    const known = transports.get(session);
    if (known instanceof StreamableHTTPServerTransport) return known.handleRequest(request, response, body);
    if (session !== "") {
      response.writeHead(404).end();
      return;
    }
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        transports.set(id, transport);
        changed();
      },
      onsessionclosed: (id) => {
        transports.delete(id);
        changed();
      },
    });
    await made(request.headers).connect(transport);
    await transport.handleRequest(request, response, body);
  }
  async function overSse(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    if (request.method === "GET") {
      const transport = new SSEServerTransport("/messages", response);
      transports.set(transport.sessionId, transport);
      response.on("close", () => {
        transports.delete(transport.sessionId);
        changed();
      });
      await made(request.headers).connect(transport);
      return changed();
    }
    const id = new URL(request.url ?? "", "http://here").searchParams.get("sessionId") ?? "";
    const known = transports.get(id);
    if (known instanceof SSEServerTransport) await known.handlePostMessage(request, response, body);
    else response.writeHead(404).end();
  }
  const http: Server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    requests.push({ method: request.method ?? "", headers: request.headers, body: text });
    if (options.instead?.(request, response)) return;
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    await (options.transport === "sse" ? overSse : streamable)(request, response, body);
  });
  await new Promise<void>((done) => http.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    ...{ requests, called },
    get conversations() {
      return transports.size;
    },
    forget() {
      transports.clear();
      http.closeAllConnections();
    },
    until: (count) =>
      transports.size === count
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push({ count, resolve });
          }),
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
}
