import type { DrawnGraph } from "../graph-host.ts";
import type { RunnableGraph } from "./build-graph.ts";

/** A compiled graph as nodes and edges, its start and end included. */
export async function drawGraph(graph: RunnableGraph): Promise<DrawnGraph> {
  const { nodes, edges } = await graph.getGraphAsync({});
  return {
    nodes: Object.values(nodes).map(({ id, name }) => ({ id, label: name.replace(/^__(start|end)__$/, "$1") })),
    edges: edges.map(({ source, target, conditional, data }) => ({
      source,
      target,
      conditional: conditional === true,
      ...(data === undefined ? {} : { label: data }),
    })),
  };
}
