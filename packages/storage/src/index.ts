export type * from "./artifacts.ts";
export type * from "./configuration.ts";
export type * from "./port.ts";
export type * from "./records.ts";
export type * from "./schedules.ts";
export type * from "./webhooks.ts";
