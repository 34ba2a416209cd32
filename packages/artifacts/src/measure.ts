import { createHash } from "node:crypto";
import { type ByteStream, bodyCorrupt, type PutOptions } from "./body-store.ts";

/** What has gone by so far. Reading `sha256` ends the counting. */
export interface Measure {
  readonly bytes: number;
  readonly sha256: string;
}

/** The body did not have the checksum that its writer declared. */
export class ChecksumMismatch extends Error {
  constructor() {
    super("The body does not have the checksum that was declared for it");
    this.name = "ChecksumMismatch";
  }
}

/** Passes a body on while it is counted and hashed. A declared checksum that differs is told before the stream ends. */
export function measured(
  body: ByteStream,
  { sha256: declared, signal }: Pick<PutOptions, "sha256" | "signal"> = {},
): { body: ByteStream; measure: Measure } {
  const hash = createHash("sha256");
  let bytes = 0;
  let digest: string | null = null;
  const sha256 = () => {
    digest ??= hash.digest("hex");
    return digest;
  };
  async function* pass() {
    for await (const chunk of body) {
      signal?.throwIfAborted();
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
    if (declared !== undefined && sha256() !== declared) throw new ChecksumMismatch();
  }
  return {
    body: pass(),
    measure: {
      get bytes() {
        return bytes;
      },
      get sha256() {
        return sha256();
      },
    },
  };
}

/**
 * Passes a body on and lets its last piece go only when the whole was what it should be: whoever knows its length never
 * takes wrong bytes for the whole.
 */
export async function* verified(body: ByteStream, expected: { bytes: number; sha256: string }): ByteStream {
  const hash = createHash("sha256");
  let bytes = 0;
  let held: Uint8Array | null = null;
  for await (const chunk of body) {
    hash.update(chunk);
    bytes += chunk.length;
    if (bytes > expected.bytes) throw bodyCorrupt();
    if (held !== null) yield held;
    held = chunk;
  }
  if (bytes !== expected.bytes || hash.digest("hex") !== expected.sha256) throw bodyCorrupt();
  if (held !== null) yield held;
}

/** The whole of a stream in memory. */
export async function collect(body: ByteStream): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return concatenated(chunks);
}

/** Pieces as one. */
export function concatenated(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only;
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** A stream of one piece; of none when it is empty. */
export async function* bytesOf(data: Uint8Array | string): ByteStream {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  if (bytes.length > 0) yield bytes;
}
