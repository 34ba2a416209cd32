export * from "./deps.ts";
export * from "./graph-host.ts";
export * from "./tunables.ts";
