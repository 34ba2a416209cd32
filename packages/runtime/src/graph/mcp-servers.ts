import type { Scope } from "@wheelhouse/domain";
import type { McpReadiness, McpServer } from "../graph-host.ts";
import type { McpPool, McpPoolOptions } from "./mcp-pool.ts";
import type { RunServers } from "./run-servers.ts";
import { type PinnedServers, serversOf } from "./server-tools.ts";

/**
 * The MCP servers of all runs. The protocol's library is loaded with the first run that needs one: it costs a third of a
 * second.
 */
export class McpServers implements AsyncDisposable {
  readonly #options: McpPoolOptions;
  #pool: Promise<McpPool> | null = null;

  constructor(options: McpPoolOptions) {
    this.#options = options;
  }

  /** Takes hold of what a run needs; null when that is nothing. Throws a RunRefusal. */
  async hold(manifest: PinnedServers, scope: Scope): Promise<RunServers | null> {
    if (serversOf(manifest).size === 0) return null;
    const { RunServers } = await import("./run-servers.ts");
    return RunServers.hold(await this.#open(), manifest, scope);
  }

  async readiness(server: McpServer, { observe }: { observe: boolean }): Promise<McpReadiness> {
    const pool = await this.#open();
    return observe ? pool.observe(server) : pool.readiness(server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#pool)?.[Symbol.asyncDispose]();
  }

  #open(): Promise<McpPool> {
    this.#pool ??= import("./mcp-pool.ts").then(({ McpPool }) => new McpPool(this.#options));
    return this.#pool;
  }
}
