import type { StructuredTool } from "@langchain/core/tools";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { Manifest } from "@wheelhouse/domain";
import { buildAgent } from "./build-agent.ts";
import { RunRefusal } from "./classify-failure.ts";
import type { GraphFactoryContext, GraphHostOptions } from "./graph-host-options.ts";

/** The slice of a compiled LangGraph graph that is used here; any copy of the library has it. */
export interface RunnableGraph {
  checkpointer?: unknown;
  store?: unknown;
  updateState(config: Record<string, unknown>, values: unknown): Promise<unknown>;
  stream(input: unknown, config: Record<string, unknown>): Promise<AsyncIterable<unknown>>;
  withConfig(config: Record<string, unknown>): RunnableGraph;
  getGraphAsync(config?: Record<string, unknown>): Promise<DrawableGraph>;
}

/** The channels that start each node of a graph; a graph that does not say has none. */
export function triggersOf(graph: RunnableGraph): ReadonlyMap<string, readonly string[]> {
  const nodes: unknown = Reflect.get(graph, "nodes");
  const triggers = new Map<string, readonly string[]>();
  for (const [name, node] of Object.entries(typeof nodes === "object" && nodes !== null ? nodes : {})) {
    const channels: unknown = typeof node === "object" && node !== null ? Reflect.get(node, "triggers") : undefined;
    if (Array.isArray(channels))
      triggers.set(
        name,
        channels.filter((channel) => typeof channel === "string"),
      );
  }
  return triggers;
}

export interface DrawableGraph {
  nodes: Record<string, { id: string; name: string }>;
  edges: { source: string; target: string; conditional?: boolean; data?: string }[];
}

export interface BuildOptions
  extends Pick<GraphHostOptions, "codeAgents" | "tools" | "scripts" | "loadSubagent" | "env" | "outgoing"> {
  checkpointer: BaseCheckpointSaver;
  scriptedDelayMs: number;
  /** By server. */
  mcpTools: ReadonlyMap<string, readonly StructuredTool[]>;
}

/** The graph of a manifest, with the host's checkpointer. Throws a RunRefusal when it cannot be built. */
export async function buildGraph(manifest: Manifest, options: BuildOptions): Promise<RunnableGraph> {
  const graph =
    manifest.definition === null
      ? await registeredGraph(manifest.agent, options)
      : graphOf(await buildAgent(manifest.agent, manifest.definition, { ...options, pinned: manifest }));
  // A copy: the registered object belongs to the host program, which may run it elsewhere.
  const copy = graph.withConfig({});
  copy.checkpointer = options.checkpointer;
  copy.store = undefined;
  return copy;
}

async function registeredGraph(name: string, options: BuildOptions): Promise<RunnableGraph> {
  const registered = options.codeAgents?.[name]?.graph;
  if (registered === undefined)
    throw new RunRefusal("AGENT_NOT_FOUND", `The agent "${name}" is not registered in this installation any more.`);
  const made = isFactory(registered) ? await registered({ agent: name, env: options.env }) : await registered;
  const graph = unwrap(made);
  if (graph === null)
    throw new RunRefusal("CONFIG_INVALID", `What is registered as "${name}" is not a compiled LangGraph graph.`);
  return graph;
}

type Factory = (context: GraphFactoryContext) => unknown;
const isFactory = (value: unknown): value is Factory => typeof value === "function" && !isGraph(value);

const isGraph = (value: unknown): value is RunnableGraph =>
  (typeof value === "object" || typeof value === "function") &&
  value !== null &&
  "stream" in value &&
  "withConfig" in value &&
  "getGraphAsync" in value &&
  "nodes" in value;

/** Agents of `createAgent` and `createDeepAgent` keep their graph in a property. */
function unwrap(value: unknown): RunnableGraph | null {
  if (isGraph(value)) return value;
  const inner: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "graph") : undefined;
  return isGraph(inner) ? inner : null;
}

function graphOf(agent: unknown): RunnableGraph {
  const graph = unwrap(agent);
  if (graph === null) throw new RunRefusal("INTERNAL", "The agent library returned something that is not a graph.");
  return graph;
}
