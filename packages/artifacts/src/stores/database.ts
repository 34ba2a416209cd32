import { randomUUID } from "node:crypto";
import type { Clock } from "@wheelhouse/domain";
import type { ArtifactBodyStore } from "@wheelhouse/storage";
import { type BodyStore, type ByteStream, bodyMissing } from "../body-store.ts";
import { concatenated, measured } from "../measure.ts";
import { checkedKey, stagingPrefix } from "../object-keys.ts";

/** Bytes of one row. Small enough that a range costs little more than itself. */
const partBytes = 1_048_576;

/** Bodies as rows beside the manifests: for installations in memory, and for small bodies. */
export function openDatabaseStore({ rows, clock }: { rows: ArtifactBodyStore; clock: Clock }): BodyStore {
  async function sizeOf(key: string): Promise<number> {
    const bytes = await rows.size(checkedKey(key));
    if (bytes === null) throw bodyMissing();
    return bytes;
  }
  return {
    kind: "database",
    provesWrites: true,
    async put(source, keyOf, options) {
      const { body, measure } = measured(source, options);
      const staged = `${stagingPrefix}${randomUUID()}`;
      let part = 0;
      try {
        for await (const piece of inParts(body, partBytes))
          await rows.write({ key: staged, part: part++, body: piece, at: clock.now() });
        const key = checkedKey(keyOf(measure.sha256));
        await rows.rename(staged, key);
        return { key, bytes: measure.bytes, sha256: measure.sha256, parts: null };
      } catch (error) {
        await rows.delete([staged]);
        throw error;
      }
    },
    async get(key) {
      const bytes = await sizeOf(key);
      return { bytes, body: partsOf(rows, key, { start: 0, end: bytes - 1 }) };
    },
    async getRange(key, range) {
      await sizeOf(key);
      return partsOf(rows, key, range);
    },
    async head(key) {
      const bytes = await rows.size(checkedKey(key));
      return bytes === null ? null : { bytes, sha256: null, parts: null };
    },
    async copy(from, to) {
      if (!(await rows.copy(checkedKey(from), checkedKey(to)))) throw bodyMissing();
    },
    delete: (keys) => rows.delete(keys.map(checkedKey)),
    presign: async () => null,
    list: ({ after, limit }) => rows.list({ after, limit, without: stagingPrefix }),
    abandonUploads: (before) => rows.deleteOlder({ prefix: stagingPrefix, before }),
    check: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

async function* partsOf(
  rows: ArtifactBodyStore,
  key: string,
  { start, end }: { start: number; end: number },
): ByteStream {
  for (let part = Math.floor(start / partBytes); part * partBytes <= end; part++) {
    const body = await rows.read(key, part);
    if (body === null) throw bodyMissing();
    const offset = part * partBytes;
    yield body.subarray(Math.max(0, start - offset), Math.min(body.length, end - offset + 1));
  }
}

/** The stream in pieces of exactly `size` bytes, but for the last; at least one piece, which may be empty. */
export async function* inParts(body: ByteStream, size: number): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  let parts = 0;
  for await (const chunk of body) {
    let rest = chunk;
    while (bytes + rest.length >= size) {
      const room = size - bytes;
      yield concatenated([...held, rest.subarray(0, room)]);
      parts++;
      rest = rest.subarray(room);
      held = [];
      bytes = 0;
    }
    if (rest.length > 0) held.push(rest);
    bytes += rest.length;
  }
  if (bytes > 0 || parts === 0) yield concatenated(held);
}
