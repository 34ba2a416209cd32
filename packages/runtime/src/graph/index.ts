// The door. Nothing here may load LangChain at import: the host does that with the first run.
export { createGraphHost } from "./create-graph-host.ts";
export {
  defaultGraphHostLimits,
  type GraphConfigurable,
  type GraphFactoryContext,
  type GraphHostLimits,
  type GraphHostOptions,
  type RegisteredGraph,
} from "./graph-host-options.ts";
export type { PersistenceConfig } from "./persistence.ts";
