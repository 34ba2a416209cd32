export { authorityOf, type Caller, type GraphContext } from "./context.ts";
export { type EventPageText, eventPageText } from "./event-page-text.ts";
export { globalId, type NodeType, parseGlobalId } from "./global-id.ts";
export { depthLimitRule, maxDepth, maxTokens } from "./limits.ts";
export { maskError, refusalError } from "./mask-error.ts";
export { buildSchema } from "./schema.ts";
export type { Frame } from "./streams.ts";
