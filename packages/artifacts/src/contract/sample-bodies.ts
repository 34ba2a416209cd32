import { createHash, randomUUID } from "node:crypto";
import type { ByteStream } from "../body-store.ts";
import { objectKeys } from "../object-keys.ts";

// Bodies to exercise a store with.

/** Bytes that differ from place to place, the same ones every time. */
export function patternOf(bytes: number, seed = 1): Uint8Array {
  const pattern = new Uint8Array(bytes);
  let state = seed;
  for (let i = 0; i < bytes; i++) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    pattern[i] = state >>> 16;
  }
  return pattern;
}

export const sha256Of = (data: Uint8Array): string => createHash("sha256").update(data).digest("hex");

/** A stream of pieces of at most `size` bytes. `breaksAfter` pieces it ends with an error. */
export async function* streamOf(data: Uint8Array, size = 65_536, breaksAfter = Number.POSITIVE_INFINITY): ByteStream {
  for (let at = 0, pieces = 0; at < data.length; at += size, pieces++) {
    if (pieces >= breaksAfter) throw new Error("the client went away");
    yield data.subarray(at, at + size);
  }
}

/** A fresh place for a body: how its key comes of its checksum. */
export function keyed(keys = objectKeys("a secret that only tests know")): (sha256: string) => string {
  const artifactId = randomUUID();
  return (sha256) => keys({ scopeKey: "0".repeat(64), kind: "FILE", artifactId, version: 1, sha256 });
}
