export type * from "./port.ts";
export type * from "./records.ts";
