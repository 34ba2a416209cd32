export * from "./graph-host.ts";
export * from "./deps.ts";
export * from "./tunables.ts";
