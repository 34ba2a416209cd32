export * from "./agent-registry.ts";
