import type { FoundVersion } from "@wheelhouse/storage";
import { type BodyStore, BodyStoreError, type ByteStream, bodyCorrupt } from "./body-store.ts";
import { bytesOf, collect, verified } from "./measure.ts";
import type { ObjectKeys } from "./object-keys.ts";

/** Bodies up to this size are verified before the first byte is given; bigger ones before the last, bytes. */
const verifiedAhead = 1_048_576;

export interface ByteRange {
  start: number;
  /** Included. */
  end: number;
}

/**
 * The bytes of a version. A whole body is verified: a small one before it is given, a big one before its last piece is,
 * so that nobody who knows its length takes wrong bytes for it. Throws BODY_MISSING and BODY_CORRUPT.
 */
export async function readVersion(
  { bodies, objectKeys }: { bodies: BodyStore; objectKeys: ObjectKeys },
  { artifact, version }: FoundVersion,
  { range, signal }: { range?: ByteRange | undefined; signal?: AbortSignal | undefined } = {},
): Promise<ByteStream> {
  const { bytes, checksum: sha256, inlineBody } = version;
  if (inlineBody !== null) {
    const whole = await collect(verified(bytesOf(inlineBody), { bytes, sha256 }));
    return bytesOf(range === undefined ? whole : whole.subarray(range.start, range.end + 1));
  }
  const key = keyOf({ bodies, objectKeys }, { artifact, version });
  if (range !== undefined) return exactly(await bodies.getRange(key, range, signal), range.end - range.start + 1);
  const stored = await bodies.get(key, signal);
  if (stored.bytes !== bytes) {
    await letGo(stored.body);
    throw bodyCorrupt();
  }
  const body = verified(stored.body, { bytes, sha256 });
  return bytes > verifiedAhead ? body : bytesOf(await collect(body));
}

/** The key of a version's body, which must be the one that its manifest's scope gives it. */
export function keyOf(
  { bodies, objectKeys }: { bodies: Pick<BodyStore, "kind">; objectKeys: ObjectKeys },
  { artifact, version }: FoundVersion,
): string {
  if (version.bodyStore !== bodies.kind)
    throw new BodyStoreError(
      "BODY_MISSING",
      `The body lies in the store ${version.bodyStore}, and the store in use is ${bodies.kind}; move it with wheelhouse artifacts migrate`,
    );
  const { scopeKey, kind, id: artifactId } = artifact;
  const key = objectKeys({ scopeKey, kind, artifactId, version: version.version, sha256: version.checksum });
  if (key !== version.objectKey)
    throw new BodyStoreError(
      "BODY_MISSING",
      "The manifest names a body that is not its own; was WHEELHOUSE_OBJECT_KEY_SECRET changed?",
    );
  return key;
}

async function* exactly(body: ByteStream, bytes: number): ByteStream {
  let left = bytes;
  for await (const chunk of body) {
    left -= chunk.length;
    if (left < 0) throw bodyCorrupt();
    yield chunk;
  }
  if (left > 0) throw bodyCorrupt();
}

const letGo = async (body: ByteStream): Promise<void> => void (await body[Symbol.asyncIterator]().return?.());
