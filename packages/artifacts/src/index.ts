export * from "./body-store.ts";
export { bareType, contentTypeOf, isTextType, safeHeaders } from "./content-type.ts";
export { bytesOf, ChecksumMismatch, collect } from "./measure.ts";
export * from "./migrate-bodies.ts";
export { type KeyParts, type ObjectKeys, objectKeys, stagingPrefix } from "./object-keys.ts";
export * from "./publish-version.ts";
export * from "./read-version.ts";
export * from "./sweep-bodies.ts";
export { verifyStored } from "./verify-stored.ts";
