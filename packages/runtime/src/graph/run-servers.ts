import type { StructuredTool } from "@langchain/core/tools";
import type { Manifest, Scope } from "@wheelhouse/domain";
import { RunRefusal } from "./classify-failure.ts";
import { type McpUnavailable, SessionGone, unavailable } from "./mcp-failure.ts";
import type { HeldServer, McpPool } from "./mcp-pool.ts";
import { type PinnedServers, type ServerCalls, serversOf, serverTool, visibleName } from "./server-tools.ts";
import { ToolCallFailed } from "./tool-failures.ts";

/** The MCP servers of one run, held from its beginning to its end. */
export class RunServers implements ServerCalls, Disposable {
  readonly #held: ReadonlyMap<string, HeldServer>;
  /** Optional servers that the run goes on without. */
  readonly absent: ReadonlyMap<string, McpUnavailable>;

  private constructor(held: ReadonlyMap<string, HeldServer>, absent: ReadonlyMap<string, McpUnavailable>) {
    this.#held = held;
    this.absent = absent;
  }

  /** Throws a RunRefusal when one that is required cannot be used. */
  static async hold(pool: McpPool, manifest: PinnedServers, scope: Scope): Promise<RunServers> {
    const definitions = serversOf(manifest);
    const held = new Map<string, HeldServer>();
    const absent = new Map<string, McpUnavailable>();
    await Promise.all(
      [...definitions].map(async ([name, definition]) => {
        try {
          held.set(name, await pool.hold({ name, definition, scope }));
        } catch (error) {
          absent.set(name, unavailable(error, null));
        }
      }),
    );
    const servers = new RunServers(held, absent);
    // By name, so that of several the same one is told each time.
    for (const [name, failure] of [...absent].sort(([a], [b]) => (a < b ? -1 : 1)))
      if (definitions.get(name)?.required) {
        servers[Symbol.dispose]();
        throw refusalOf(name, failure);
      }
    return servers;
  }

  /** What the servers list, as far as it makes the graph another one. */
  get listings(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#held].map(([name, { listing }]) => [name, listing.schemaDigest]));
  }

  /** The tools of each server, under the names that models see. */
  tools(definitions: NonNullable<Manifest["mcpServers"]>): Map<string, StructuredTool[]> {
    return new Map(
      [...this.#held].map(([name, { listing }]) => [
        name,
        listing.tools.map((tool) => serverTool(name, tool, visibleName(tool.name, definitions[name]?.toolPrefix))),
      ]),
    );
  }

  async call(
    server: string,
    tool: string,
    args: Record<string, unknown>,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const held = this.#held.get(server);
    if (held === undefined) throw new ToolCallFailed(`The MCP server "${server}" is not there.`, { retryable: false });
    try {
      return await callOn(held, { tool, args, signal });
    } catch (error) {
      if (!(error instanceof SessionGone)) throw error;
      return await callOn(held, { tool, args, signal });
    }
  }

  [Symbol.dispose](): void {
    for (const held of this.#held.values()) held.release();
  }
}

async function callOn(
  held: HeldServer,
  { tool, args, signal }: { tool: string; args: Record<string, unknown>; signal: AbortSignal | undefined },
): Promise<string> {
  const connection = await held.connection().catch((error: unknown) => {
    throw new ToolCallFailed(unavailable(error, null).message, { retryable: true });
  });
  try {
    return await connection.call(tool, args, signal);
  } catch (error) {
    // The next one begins a new conversation.
    if (error instanceof SessionGone) await connection[Symbol.asyncDispose]();
    throw error;
  }
}

const retryable = new Set(["UNREACHABLE", "TIMEOUT"]);

const refusalOf = (name: string, { category, message }: McpUnavailable): RunRefusal =>
  new RunRefusal(
    retryable.has(category) ? "TOOL_ERROR" : "CONFIG_INVALID",
    `The MCP server "${name}" is required and cannot be used: ${message}.`,
  );
