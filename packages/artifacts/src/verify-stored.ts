import { type BodyStore, bodyCorrupt, bodyMissing, type StoredBody } from "./body-store.ts";
import { verified } from "./measure.ts";

/**
 * Whether a store holds what it acknowledged: the size, and the checksum where the store counts one itself; where it does
 * not, everything is read back. Throws BODY_MISSING or BODY_CORRUPT.
 */
export async function verifyStored(bodies: BodyStore, { key, bytes, sha256, parts }: StoredBody): Promise<void> {
  const head = await bodies.head(key);
  if (head === null) throw bodyMissing();
  if (head.bytes !== bytes) throw bodyCorrupt();
  if (bodies.provesWrites) return;
  if (head.sha256 !== null) {
    if (head.sha256 !== sha256) throw bodyCorrupt();
    return;
  }
  if (parts !== null && head.parts === parts) return;
  const { body } = await bodies.get(key);
  for await (const _ of verified(body, { bytes, sha256 }));
}
