import { fileURLToPath } from "node:url";
import { defineConfig } from "@wheelhouse/registry";
import { briefingGraph } from "./.wheelhouse/graphs/briefing.ts";
import { documentationTools } from "./.wheelhouse/tools/documentation.ts";
import { supportDeskTools } from "./.wheelhouse/tools/support-desk.ts";

const documentation = documentationTools(fileURLToPath(new URL(".", import.meta.url)));

/** The starter workspace: what its agents may call, and the graphs that are written in code. */
export default defineConfig({
  tools: [...documentation, ...supportDeskTools],
  agents: {
    briefing: {
      displayName: "Briefing",
      description: "A LangGraph graph in code: three branches side by side, brought together in one briefing.",
      graph: briefingGraph(documentation),
      timeoutSeconds: 60,
    },
  },
});
