import { describe, expect, it } from "vitest";
import { layOutGraph, smoothPath } from "./lay-out-graph.ts";

const react = {
  nodes: ["__start__", "agent", "tools", "__end__"].map((id) => ({ id, label: id })),
  edges: [
    { source: "__start__", target: "agent", conditional: false, label: null },
    { source: "agent", target: "tools", conditional: true, label: "tool calls" },
    { source: "agent", target: "__end__", conditional: true, label: null },
    { source: "tools", target: "agent", conditional: false, label: null },
    { source: "tools", target: "tools", conditional: false, label: null },
    { source: "gone", target: "agent", conditional: false, label: null },
  ],
};

describe("layOutGraph", () => {
  it.each(["LR", "TB"] as const)("places every node inside and follows the flow (%s)", (direction) => {
    const { nodes, edges, width, height } = layOutGraph(react, direction);
    for (const node of nodes) {
      expect(node.x - node.width / 2).toBeGreaterThanOrEqual(0);
      expect(node.x + node.width / 2).toBeLessThanOrEqual(width);
      expect(node.y + node.height / 2).toBeLessThanOrEqual(height);
    }
    const along = (id: string) => {
      const node = nodes.find((each) => each.id === id);
      return direction === "LR" ? node?.x : node?.y;
    };
    expect(along("__start__")).toBeLessThan(along("agent") ?? 0);
    expect(along("agent")).toBeLessThan(along("tools") ?? 0);
    expect(edges).toHaveLength(5);
  });

  it("tells loops from the way forward, and names start and end", () => {
    const { nodes, edges } = layOutGraph(react, "LR");
    expect(edges.filter((edge) => edge.back).map((edge) => `${edge.source}→${edge.target}`)).toEqual([
      "tools→agent",
      "tools→tools",
    ]);
    expect(nodes.map((node) => node.label)).toEqual(["Start", "agent", "tools", "End"]);
    expect(edges.find((edge) => edge.label === "tool calls")?.labelAt).not.toBeNull();
  });
});

describe("smoothPath", () => {
  it("begins and ends at its ends", () => {
    const path = smoothPath([
      { x: 0, y: 0 },
      { x: 10, y: 0 },
      { x: 20, y: 10 },
      { x: 30, y: 10 },
    ]);
    expect(path).toBe("M0.0 0.0Q10.0 0.0 15.0 5.0Q20.0 10.0 30.0 10.0");
    expect(smoothPath([])).toBe("");
  });
});
