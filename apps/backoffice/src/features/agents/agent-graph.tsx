"use client";

import { useEffect, useId, useMemo, useRef, useState } from "react";
import { type GraphInput, layOutGraph, type PlacedEdge, type PlacedNode } from "./lay-out-graph.ts";

/** An agent's graph, drawn: nodes, edges, conditions (dashed) and loops. */
export function AgentGraph({ graph, name }: { graph: GraphInput; name: string }) {
  const box = useRef<HTMLElement>(null);
  const [room, setRoom] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setRoom(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const across = useMemo(() => layOutGraph(graph, "LR"), [graph]);
  const down = useMemo(() => layOutGraph(graph, "TB"), [graph]);
  const placed = across.width <= room ? across : down;
  const arrow = useId();
  return (
    <section
      ref={box}
      aria-label={`Graph of ${name}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard.
      tabIndex={0}
      className="overflow-auto rounded-md bg-[radial-gradient(var(--color-line)_1px,transparent_1px)] bg-size-[16px_16px] p-2"
    >
      {room === 0 ? (
        <div style={{ height: across.height }} />
      ) : (
        <svg
          width={placed.width}
          height={placed.height}
          viewBox={`0 0 ${placed.width} ${placed.height}`}
          aria-hidden="true"
          className="mx-auto block"
        >
          <defs>
            <marker id={arrow} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
              <path d="M0.5 0.8 L7 4 L0.5 7.2 Z" fill="context-stroke" />
            </marker>
          </defs>
          {placed.edges.map((edge) => (
            <Edge key={edge.id} edge={edge} arrow={arrow} />
          ))}
          {placed.nodes.map((node) => (
            <Node key={node.id} node={node} />
          ))}
          {placed.edges.map((edge) => (
            <EdgeLabel key={edge.id} edge={edge} />
          ))}
        </svg>
      )}
      <GraphInWords edges={placed.edges} nodes={placed.nodes} />
    </section>
  );
}

function Edge({ edge, arrow }: { edge: PlacedEdge; arrow: string }) {
  return (
    <path
      d={edge.path}
      fill="none"
      strokeWidth={1.4}
      strokeDasharray={edge.conditional ? "4 3.5" : undefined}
      markerEnd={`url(#${arrow})`}
      className={edge.back ? "stroke-accent-ink" : "stroke-muted"}
    />
  );
}

function EdgeLabel({ edge }: { edge: PlacedEdge }) {
  if (edge.label === null || edge.labelAt === null) return null;
  const width = edge.label.length * 6.2 + 8;
  return (
    <g transform={`translate(${edge.labelAt.x} ${edge.labelAt.y})`}>
      <rect x={-width / 2} y={-8} width={width} height={16} rx={4} className="fill-surface" />
      <text textAnchor="middle" dy="3.6" fontSize={11} className="fill-muted">
        {edge.label}
      </text>
    </g>
  );
}

function Node({ node }: { node: PlacedNode }) {
  const end = node.kind !== "node";
  return (
    <g transform={`translate(${node.x - node.width / 2} ${node.y - node.height / 2})`}>
      <rect
        width={node.width}
        height={node.height}
        rx={end ? node.height / 2 : 7}
        className={end ? "fill-sunken stroke-line-strong" : "fill-raised stroke-line-strong"}
      />
      <text
        x={node.width / 2}
        y={node.height / 2}
        dy="4"
        textAnchor="middle"
        fontSize={12}
        className={end ? "fill-muted" : "mono fill-ink"}
      >
        {node.label}
      </text>
    </g>
  );
}

/** The same graph for those who cannot see it. */
function GraphInWords({ nodes, edges }: { nodes: readonly PlacedNode[]; edges: readonly PlacedEdge[] }) {
  const nameOf = (id: string) => nodes.find((node) => node.id === id)?.label ?? id;
  return (
    <ul className="sr-only">
      {edges.map((edge) => (
        <li key={edge.id}>
          {nameOf(edge.source)} leads to {nameOf(edge.target)}
          {edge.conditional ? ` if ${edge.label ?? "its condition holds"}` : ""}
          {edge.back ? ", back" : ""}
        </li>
      ))}
    </ul>
  );
}
