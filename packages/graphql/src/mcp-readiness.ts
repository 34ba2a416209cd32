import { type Authority, McpServerDefinition } from "@wheelhouse/domain";
import type { McpReadiness } from "@wheelhouse/runtime";
import { builder } from "./builder.ts";
import { authorityOf, type GraphContext } from "./context.ts";

interface ServerReadiness {
  name: string;
  definition: McpServerDefinition;
  known: McpReadiness;
  authority: Authority;
}

const isFresh = ({ known }: ServerReadiness): boolean => known.status !== "UNKNOWN";

/** The last that was seen, whether or not it still counts. */
function lastSeen({ known }: ServerReadiness) {
  if (known.status !== "UNKNOWN") return known;
  return known.reason === "STALE" ? known.last : null;
}

export const McpServerReadiness = builder.objectRef<ServerReadiness>("McpServerReadiness").implement({
  description:
    "What the process that answers has seen of an MCP server on behalf of the caller's scope, when runs used it. Nothing is called for it, and no run depends on it.",
  fields: (t) => ({
    name: t.exposeString("name", { description: "The name of its definition." }),
    host: t.string({
      description: "Where it is: host and port of its address, nothing else of it.",
      resolve: ({ definition }) => new URL(definition.url).host,
    }),
    required: t.boolean({
      description: "Whether a run fails without it; otherwise it goes on without its tools.",
      resolve: ({ definition }) => definition.required,
    }),
    ready: t.boolean({
      nullable: true,
      description: "Whether it can be used; null when it was not used yet, or so long ago that it says nothing.",
      resolve: (server) => (isFresh(server) ? server.known.status === "READY" : null),
    }),
    toolCount: t.int({
      nullable: true,
      description: "How many of its tools the definition allows, as it listed them when it was last seen ready.",
      resolve: (server) => {
        const seen = lastSeen(server);
        return seen?.status === "READY" ? seen.toolNames.length : null;
      },
    }),
    reason: t.string({
      nullable: true,
      description:
        "Why it could not be used when it was last tried. Only for callers who may see events for operators.",
      resolve: (server) => {
        const seen = lastSeen(server);
        const mayKnow = server.authority.visibilities.includes("OPERATOR");
        return seen?.status === "UNAVAILABLE" && mayKnow ? seen.message : null;
      },
    }),
    observedAt: t.field({
      type: "DateTime",
      nullable: true,
      description: "When it was last seen; null when never.",
      resolve: (server) => lastSeen(server)?.observedAt ?? null,
    }),
    freshUntil: t.field({
      type: "DateTime",
      nullable: true,
      description: "Until when that counts.",
      resolve: (server) => lastSeen(server)?.freshUntil ?? null,
    }),
  }),
});

/** What is known of the server that a definition describes; null for what describes none. */
export async function readinessOf(
  context: GraphContext,
  { kind, name, definition: written }: { kind: string; name: string; definition: unknown },
): Promise<ServerReadiness | null> {
  if (kind !== "MCP_SERVER") return null;
  const { data: definition } = McpServerDefinition.safeParse(written);
  if (definition === undefined) return null;
  const authority = authorityOf(context);
  const known = await context.runtime.graphs.mcpReadiness({ name, definition, scope: authority.scope });
  return { name, definition, known, authority };
}
