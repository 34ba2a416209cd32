import type { BusyPolicy } from "@wheelhouse/domain";

/** A LangGraph graph that the host program brings: a compiled graph, a functional API entrypoint, or a factory of one. */
export interface CodeAgent {
  /** Kept as it is and handed to the graph host; this package never looks inside. */
  graph: unknown;
  displayName?: string;
  description?: string;
  /** JSON Schema or a Zod schema. Absent: chat input, `{messages}`, or whatever the graph accepts. */
  inputSchema?: unknown;
  outputSchema?: unknown;
  busyPolicy?: BusyPolicy;
  recursionLimit?: number;
  /** Whole run, seconds. */
  timeoutSeconds?: number;
  /** How long a human may take to answer what it asks, seconds. 24 hours when absent. */
  interruptTtlSeconds?: number;
  recordPayloads?: boolean;
}

/** What `wheelhouse.config.ts` exports as its default. */
export interface WorkspaceConfig {
  /** Graphs by agent name. */
  agents?: Record<string, CodeAgent>;
  /** LangChain tools that workspace agents may name. Each has a `name`. */
  tools?: readonly { name: string }[];
}

/** Gives an editor the types of `wheelhouse.config.ts`; returns its argument. */
export const defineConfig = (config: WorkspaceConfig): WorkspaceConfig => config;
