export { type BodyWorld, bodyStoreContract } from "./body-store-contract.ts";
export { keyed, patternOf, sha256Of, streamOf } from "./sample-bodies.ts";
