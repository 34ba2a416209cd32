import dagre from "@dagrejs/dagre";

export interface GraphInput {
  nodes: readonly { id: string; label: string }[];
  edges: readonly { source: string; target: string; conditional: boolean; label: string | null }[];
}

export interface PlacedNode {
  id: string;
  label: string;
  kind: "start" | "end" | "node";
  /** The centre. */
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PlacedEdge {
  id: string;
  source: string;
  target: string;
  conditional: boolean;
  /** Leads back to a node that comes earlier: a loop. */
  back: boolean;
  label: string | null;
  labelAt: { x: number; y: number } | null;
  /** An SVG path. */
  path: string;
}

export interface PlacedGraph {
  width: number;
  height: number;
  nodes: PlacedNode[];
  edges: PlacedEdge[];
}

const nodeHeight = 34;
const margin = 12;
/** Width of a character of the node's label at 12 px, and of an edge's label at 11 px. */
const nodeCharacter = 7;
const edgeCharacter = 6.2;

const kindOf = (id: string): PlacedNode["kind"] => (id === "__start__" ? "start" : id === "__end__" ? "end" : "node");
const labelOf = (node: { id: string; label: string }): string =>
  ({ start: "Start", end: "End", node: node.label })[kindOf(node.id)];

/** Places a graph's nodes and routes its edges, from left to right or from top to bottom. Loops are routed around. */
export function layOutGraph(graph: GraphInput, direction: "LR" | "TB"): PlacedGraph {
  const layout = new dagre.graphlib.Graph({ multigraph: true });
  layout.setGraph({
    rankdir: direction,
    nodesep: 26,
    ranksep: direction === "LR" ? 46 : 40,
    edgesep: 16,
  });
  for (const node of graph.nodes) {
    const width = Math.max(kindOf(node.id) === "node" ? 72 : 56, labelOf(node).length * nodeCharacter + 28);
    layout.setNode(node.id, { width, height: kindOf(node.id) === "node" ? nodeHeight : 28 });
  }
  const known = new Set(graph.nodes.map((node) => node.id));
  const edges = graph.edges.filter((edge) => known.has(edge.source) && known.has(edge.target));
  edges.forEach((edge, index) => {
    const label =
      edge.label === null ? {} : { width: edge.label.length * edgeCharacter + 10, height: 18, labelpos: "c" as const };
    layout.setEdge(edge.source, edge.target, label, String(index));
  });
  dagre.layout(layout);
  const routes = edges.map((edge, index) => layout.edge(edge.source, edge.target, String(index)));
  const boxes = graph.nodes.map((node) => layout.node(node.id));
  // Loops may be routed outside of what dagre calls the size of the graph.
  const { move, width, height } = frameOf([
    ...boxes.flatMap(({ x, y, width, height }) => [
      { x: x - width / 2, y: y - height / 2 },
      { x: x + width / 2, y: y + height / 2 },
    ]),
    ...routes.flatMap(({ points }) => points),
  ]);
  const nodes = graph.nodes.map((node): PlacedNode => {
    const { x, y, width, height } = layout.node(node.id);
    return { id: node.id, label: labelOf(node), kind: kindOf(node.id), ...move({ x, y }), width, height };
  });
  const at = new Map(nodes.map((node) => [node.id, direction === "LR" ? node.x : node.y]));
  const placed = edges.map((edge, index): PlacedEdge => {
    const { points, x, y } = layout.edge(edge.source, edge.target, String(index));
    const hasLabel = edge.label !== null && x !== undefined && y !== undefined;
    return {
      id: String(index),
      source: edge.source,
      target: edge.target,
      conditional: edge.conditional,
      back: (at.get(edge.target) ?? 0) <= (at.get(edge.source) ?? 0),
      label: edge.label,
      labelAt: hasLabel ? move({ x, y }) : null,
      path: smoothPath(points.map(move)),
    };
  });
  return { width, height, nodes, edges: placed };
}

/** The room that all points need, with a margin, and how to move them into it. */
function frameOf(points: readonly Point[]): { move: (point: Point) => Point; width: number; height: number } {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const left = Math.min(...xs) - margin;
  const top = Math.min(...ys) - margin;
  return {
    move: ({ x, y }) => ({ x: x - left, y: y - top }),
    width: Math.max(...xs) + margin - left,
    height: Math.max(...ys) + margin - top,
  };
}

interface Point {
  x: number;
  y: number;
}

const mid = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
const show = ({ x, y }: Point): string => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** A curve that follows the points: quadratic through the middles, straight at both ends so that arrows point right. */
export function smoothPath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (first === undefined || last === undefined) return "";
  if (rest.length === 1) return `M${show(first)}L${show(last)}`;
  let path = `M${show(first)}`;
  for (const [index, point] of rest.slice(0, -1).entries()) {
    const next = rest[index + 1] ?? last;
    path += `Q${show(point)} ${show(index === rest.length - 2 ? next : mid(point, next))}`;
  }
  return path;
}
