// Apart from the door of this package because browsers have no synchronous SHA-256.
import { createHash } from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";
import type { Scope } from "./scope.ts";

/** SHA-256, lower-case hex (64 characters), of UTF-8 text or bytes. */
export const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");

/** SHA-256 hex of the canonical JSON of a value. */
export const digestOf = (value: unknown): string => sha256(canonicalJson(value));

/** The key of a scope: SHA-256 hex of its canonical JSON. */
export const scopeKeyOf = (scope: Scope): string => digestOf(scope);
