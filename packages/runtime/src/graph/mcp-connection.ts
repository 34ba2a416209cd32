import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport, SseError } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type CallToolResult, CallToolResultSchema, ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { McpServerDefinition } from "@wheelhouse/domain";
import { digestOf } from "@wheelhouse/domain/digest";
import type { OutgoingHttp } from "../outgoing-http.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { isSessionGone, McpUnavailable, SessionGone, unavailable } from "./mcp-failure.ts";
import { mcpResultText } from "./mcp-result-text.ts";
import { ToolCallFailed } from "./tool-failures.ts";
import { type Environment, headerValues, withoutSecrets } from "./variables.ts";

export interface McpDeps {
  outgoing: OutgoingHttp;
  env: Environment;
  /** A server that offers more tools than this is refused. */
  maxTools: number;
}

/** A tool as its server describes it. */
export interface ListedTool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  inputSchema: Record<string, unknown>;
}

export interface Listing {
  tools: readonly ListedTool[];
  /** SHA-256 hex of names, descriptions and schemas. */
  schemaDigest: string;
}

/** Of one answer; of a stream that stays open, all together, after which the library opens another. */
const maxResponseBytes = 16_000_000;
/** Nobody waits for longer until a server has heard that a conversation is over. */
const goodbyeMs = 1_000;
/** A listing that goes on for longer never ends. */
const maxPages = 50;

/** A conversation with one server. */
export class McpConnection implements AsyncDisposable {
  readonly #client: Client;
  readonly #definition: McpServerDefinition;
  readonly #env: Environment;
  readonly #maxTools: number;
  readonly #way: OutgoingNotes;
  #closed = false;

  private constructor(client: Client, definition: McpServerDefinition, { env, maxTools }: McpDeps, way: OutgoingNotes) {
    this.#client = client;
    this.#definition = definition;
    this.#env = env;
    this.#maxTools = maxTools;
    this.#way = way;
    client.onclose = () => {
      this.#closed = true;
    };
    client.onerror = (error) => {
      // The stream that answers come by is lost; its library would open another, which the server does not know.
      if (error instanceof SseError) void this[Symbol.asyncDispose]();
    };
  }

  /** Connects and asks for the tools. Throws McpUnavailable, soon after the definition's time at the latest. */
  static async open(
    name: string,
    definition: McpServerDefinition,
    deps: McpDeps,
  ): Promise<{ connection: McpConnection; listing: Listing }> {
    const way: OutgoingNotes = { last: null };
    const client = new Client({ name: "wheelhouse", version: "1" }, { capabilities: {} });
    const connection = new McpConnection(client, definition, deps, way);
    try {
      // Also for its message: a header that cannot be sent is no fault of the server.
      headerValues(definition.headers, deps.env, `The MCP server "${name}" cannot be called`);
      const transport = transportOf(name, definition, deps, way);
      const listing = await within(connection.#timeoutMs, async () => {
        await client.connect(transport, { timeout: connection.#timeoutMs });
        return connection.list();
      });
      return { connection, listing };
    } catch (error) {
      await connection[Symbol.asyncDispose]();
      throw unavailable(error, way.last);
    }
  }

  /** Whether it can be used no more. */
  get closed(): boolean {
    return this.#closed;
  }

  /** The tools that the definition allows, as the server lists them now. Throws McpUnavailable. */
  async list(): Promise<Listing> {
    try {
      const tools = await this.#pages();
      return { tools, schemaDigest: digestOf(tools) };
    } catch (error) {
      throw unavailable(error, this.#way.last);
    }
  }

  /**
   * Calls a tool by the server's own name for it; its answer as the model reads it. Throws ToolCallFailed, or SessionGone
   * when nothing was done because the server does not know the conversation any more.
   */
  async call(tool: string, args: Record<string, unknown>, signal: AbortSignal | undefined): Promise<string> {
    this.#way.last = null;
    let result: CallToolResult;
    try {
      const options = { timeout: this.#timeoutMs, ...(signal === undefined ? {} : { signal }) };
      const answer = await this.#client.callTool({ name: tool, arguments: args }, undefined, options);
      result = CallToolResultSchema.parse(answer);
    } catch (error) {
      if (signal?.aborted) throw error;
      if (isSessionGone(error)) throw new SessionGone();
      throw this.#failedCall(error);
    }
    const text = this.#withoutSecrets(mcpResultText(result));
    if (result.isError === true) throw new ToolCallFailed(text || "The tool failed.", { retryable: false });
    return text;
  }

  #failedCall(error: unknown): ToolCallFailed {
    const isAnswer =
      error instanceof McpError && error.code !== ErrorCode.RequestTimeout && error.code !== ErrorCode.ConnectionClosed;
    if (isAnswer) return new ToolCallFailed(this.#withoutSecrets(error.message), { retryable: false });
    const { category, message } = unavailable(error, this.#way.last);
    return new ToolCallFailed(message, { retryable: category === "UNREACHABLE" || category === "TIMEOUT" });
  }

  #withoutSecrets(text: string): string {
    return withoutSecrets(text, Object.values(headerValues(this.#definition.headers, this.#env, "headers")));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      await this.#sayGoodbye();
    }
    await this.#client.close().catch(() => undefined);
  }

  /** The server may keep things for a conversation; one that does not answer learns it by itself. */
  async #sayGoodbye(): Promise<void> {
    const { transport } = this.#client;
    if (!(transport instanceof StreamableHTTPClientTransport) || transport.sessionId === undefined) return;
    await within(goodbyeMs, () => transport.terminateSession()).catch(() => undefined);
  }

  get #timeoutMs(): number {
    return this.#definition.timeoutSeconds * 1000;
  }

  async #pages(): Promise<ListedTool[]> {
    const { allowTools } = this.#definition;
    const allowed = allowTools === undefined ? null : new Set(allowTools);
    const tools: ListedTool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page++) {
      this.#way.last = null;
      const listed = await this.#client.listTools(cursor === undefined ? {} : { cursor }, { timeout: this.#timeoutMs });
      for (const { name, description = "", inputSchema } of listed.tools)
        if (allowed === null || allowed.has(name)) tools.push({ name, description, inputSchema: { ...inputSchema } });
      if (tools.length > this.#maxTools) break;
      cursor = listed.nextCursor;
      if (cursor === undefined) return tools;
    }
    throw new McpUnavailable(
      "TOO_MANY_TOOLS",
      `The server offers more than ${this.#maxTools} tools; name those that are needed in allowTools`,
    );
  }
}

/** The last error of the way out. */
interface OutgoingNotes {
  last: Error | null;
}

function transportOf(name: string, definition: McpServerDefinition, deps: McpDeps, way: OutgoingNotes): Transport {
  const send = guardedFetch(deps.outgoing, {
    timeoutMs: definition.timeoutSeconds * 1000,
    maxResponseBytes,
    headers: () => headerValues(definition.headers, deps.env, `The MCP server "${name}" cannot be called`),
  });
  const fetch: typeof send = async (input, init) => {
    try {
      return await send(input, init);
    } catch (error) {
      if (error instanceof Error) way.last = error;
      throw error;
    }
  };
  const url = new URL(definition.url);
  return definition.transport === "sse"
    ? new SSEClientTransport(url, { fetch })
    : new StreamableHTTPClientTransport(url, { fetch });
}

/** Ends when the work does, or with a timeout; what still runs then is the caller's to close. */
async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = new McpUnavailable("TIMEOUT", `The server did not answer within ${ms / 1000} s`);
    timer = setTimeout(() => reject(error), ms);
  });
  const done = work();
  // When time is over, nobody waits for it any more.
  done.catch(() => undefined);
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}
