export * from "./agent-registry.ts";
export * from "./workspace-config.ts";
