export * from "./agent-registry.ts";
export type { RegistryLimits } from "./code-agent.ts";
export * from "./load-workspace-config.ts";
export * from "./open-registry.ts";
export * from "./registry-issue.ts";
export * from "./workspace-config.ts";
