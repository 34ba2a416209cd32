import { DynamicStructuredTool, type StructuredTool } from "@langchain/core/tools";
import type { Manifest, McpServerDefinition } from "@wheelhouse/domain";
import { RunRefusal } from "./classify-failure.ts";

/** Under this key the servers of a run travel in a graph's configuration. */
export const serverCallsKey = "wheelhouse_mcp_servers";

/** What the tools of servers find there. */
export interface ServerCalls {
  call(server: string, tool: string, args: Record<string, unknown>, signal: AbortSignal | undefined): Promise<string>;
}

export type PinnedServers = Pick<Manifest, "definition" | "subagents" | "mcpServers">;

/** The servers that the agents of a manifest name, by name. */
export function serversOf({
  definition,
  subagents = {},
  mcpServers = {},
}: PinnedServers): Map<string, McpServerDefinition> {
  const names = [definition, ...Object.values(subagents)].flatMap((each) => each?.mcpServers ?? []);
  return new Map(
    [...new Set(names)].map((name) => {
      const defined = Object.hasOwn(mcpServers, name) ? mcpServers[name] : undefined;
      if (defined === undefined) throw new RunRefusal("CONFIG_INVALID", `The MCP server "${name}" is not defined.`);
      return [name, defined];
    }),
  );
}

/** Tools that stand for those of servers, where a graph is drawn or its state changed and nothing is called. */
export const standInTools = (manifest: PinnedServers): Map<string, StructuredTool[]> =>
  new Map(
    [...serversOf(manifest).keys()].map((name) => [
      name,
      [serverTool(name, { name: "tool", description: "", inputSchema: { type: "object" } }, `mcp-server-${name}`)],
    ]),
  );

/** A tool of a server, under the name that models see. It is called through the servers of the run. */
export function serverTool(
  server: string,
  { name, description, inputSchema }: { name: string; description: string; inputSchema: Record<string, unknown> },
  visible: string,
): StructuredTool {
  return new DynamicStructuredTool({
    name: visible,
    description,
    schema: { ...inputSchema, type: "object" },
    func: async (args: Record<string, unknown>, _manager, config) => {
      const servers: ServerCalls | null | undefined = config?.configurable?.[serverCallsKey];
      if (!servers) throw new Error("a tool of an MCP server was called outside of a run");
      return servers.call(server, name, args, config?.signal);
    },
  });
}

/** Providers take letters, digits, `_` and `-` only. */
export const visibleName = (name: string, prefix: string | undefined): string =>
  `${prefix === undefined ? "" : `${prefix}_`}${name}`.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 128);
