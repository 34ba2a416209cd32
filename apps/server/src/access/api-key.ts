import { randomBytes, timingSafeEqual } from "node:crypto";
import { sha256 } from "@wheelhouse/domain/digest";

/** What an API key may be allowed. `gateway`: to name the caller's scope in trusted headers. */
export const permissions = ["read", "write", "gateway", "operator-events"] as const;
export type Permission = (typeof permissions)[number];

const shape = /^(wh_[a-z0-9]{10})_[A-Za-z0-9_-]{43}$/;

/** A new key: shown once, kept as its prefix and SHA-256 hash. The 256 random bits need no slow hash. */
export function newApiKey(): { key: string; prefix: string; secretHash: string } {
  const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  const prefix = `wh_${[...randomBytes(10)].map((byte) => letters[byte % letters.length]).join("")}`;
  const key = `${prefix}_${randomBytes(32).toString("base64url")}`;
  return { key, prefix, secretHash: sha256(key) };
}

/** The prefix of a key; null when the text is no key. */
export const prefixOf = (key: string): string | null => shape.exec(key)?.[1] ?? null;

/** Whether the key has this hash; takes the same time either way. */
export const hasHash = (key: string, secretHash: string): boolean =>
  timingSafeEqual(bytesOf(sha256(key)), bytesOf(secretHash.padEnd(64).slice(0, 64)));

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
