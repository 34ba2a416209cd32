import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { isInteropZodSchema } from "@langchain/core/utils/types";

/** JSON Schema of a tool's arguments; null when it has none that can be told. */
export function argsSchemaOf(tool: object | undefined): Record<string, unknown> | null {
  const schema: unknown = tool === undefined ? undefined : Reflect.get(tool, "schema");
  if (typeof schema !== "object" || schema === null) return null;
  try {
    return isInteropZodSchema(schema) ? { ...toJsonSchema(schema, { io: "input" }) } : { ...schema };
  } catch {
    // Zod knows schemas that JSON Schema has no words for.
    return null;
  }
}

/** The tools that a compiled graph runs in its tool nodes, those of subgraphs included, by name. */
export function toolsIn(graph: object, depth = 0): Map<string, object> {
  const found = new Map<string, object>();
  const nodes: unknown = Reflect.get(graph, "nodes");
  if (typeof nodes !== "object" || nodes === null || depth > 3) return found;
  for (const node of Object.values(nodes)) {
    const bound: unknown = typeof node === "object" && node !== null ? Reflect.get(node, "bound") : null;
    if (typeof bound !== "object" || bound === null) continue;
    const tools: unknown = Reflect.get(bound, "tools");
    for (const tool of Array.isArray(tools) ? tools : [])
      if (typeof tool === "object" && tool !== null && "name" in tool) found.set(String(tool.name), tool);
    if ("nodes" in bound && "stream" in bound)
      for (const [name, tool] of toolsIn(bound, depth + 1)) found.set(name, tool);
  }
  return found;
}
