import type { NamedBody, Storage } from "@wheelhouse/storage";
import { type BodyStore, BodyStoreError, type ByteStream, bodyMissing } from "./body-store.ts";
import { bytesOf, verified } from "./measure.ts";
import type { ObjectKeys } from "./object-keys.ts";
import { verifyStored } from "./verify-stored.ts";

export interface MigrateDeps {
  storage: Pick<Storage, "artifacts">;
  from: BodyStore;
  to: BodyStore;
  /** The keys of the store that bodies go to. */
  objectKeys: ObjectKeys;
}

export interface BodyProblem {
  path: string;
  version: number;
  artifactId: string;
  problem: string;
}

export interface MigrateProgress {
  copied: number;
  bytes: number;
  /** Manifests that name the new place now. */
  switched: number;
  problems: BodyProblem[];
}

/** Bodies copied before their manifests are switched together. */
const batch = 50;
const copiesAtOnce = 4;

/**
 * Copies every body of one store to another, verifies it there, and then lets its manifest name the new place. Whoever
 * stops in the middle begins again where manifests still name the old one. What cannot be read stays and is told.
 */
export async function* migrateBodies(
  deps: MigrateDeps,
  { dryRun, signal }: { dryRun: boolean; signal?: AbortSignal },
): AsyncGenerator<MigrateProgress> {
  const progress: MigrateProgress = { copied: 0, bytes: 0, switched: 0, problems: [] };
  for (let after: string | null = null; signal?.aborted !== true; ) {
    const page = await deps.storage.artifacts.namedBodies({ bodyStore: deps.from.kind, after, limit: batch });
    const moves = await inParallel(page, async (body) => {
      try {
        const key = dryRun ? null : await copyBody(deps, body);
        progress.copied++;
        progress.bytes += body.bytes;
        return key === null ? [] : [moveOf(body, deps.to, key)];
      } catch (error) {
        progress.problems.push(problemOf(body, error));
        return [];
      }
    });
    progress.switched += await deps.storage.artifacts.moveBodies(moves.flat());
    yield { ...progress };
    after = page.at(-1)?.versionId ?? null;
    if (page.length < batch) return;
  }
}

async function copyBody({ storage, from, to, objectKeys }: MigrateDeps, body: NamedBody): Promise<string> {
  const { scopeKey, kind, artifactId, version, checksum: sha256, bytes, contentType } = body;
  const source = verified(await readNamed({ storage, bodies: from }, body), { bytes, sha256 });
  const stored = await to.put(source, () => objectKeys({ scopeKey, kind, artifactId, version, sha256 }), {
    ...{ contentType, sha256 },
  });
  await verifyStored(to, stored);
  return stored.key;
}

/** The body of a manifest as its store has it. */
export async function readNamed(
  { storage, bodies }: { storage: Pick<Storage, "artifacts">; bodies: BodyStore },
  { objectKey, versionId }: NamedBody,
): Promise<ByteStream> {
  if (objectKey !== null) return (await bodies.get(objectKey)).body;
  const inline = await storage.artifacts.inlineBody(versionId);
  if (inline === null) throw bodyMissing();
  return bytesOf(inline);
}

const moveOf = ({ versionId, bodyStore, objectKey }: NamedBody, to: BodyStore, key: string) => ({
  ...{ versionId, from: { bodyStore, objectKey } },
  to: { bodyStore: to.kind, objectKey: key },
});

/** A body that is not as it should be is a problem; a store that cannot be used ends everything. */
function problemOf({ path, version, artifactId }: NamedBody, error: unknown): BodyProblem {
  if (!(error instanceof BodyStoreError) || error.code === "STORE_UNAVAILABLE") throw error;
  return { path, version, artifactId, problem: error.code };
}

export interface VerifyProgress {
  looked: number;
  bytes: number;
  problems: BodyProblem[];
}

/** Reads bodies of a store back, all of them or every `every`th, and says which are not what was written. */
export async function* verifyBodies(
  deps: { storage: Pick<Storage, "artifacts">; bodies: BodyStore },
  { every, signal }: { every: number; signal?: AbortSignal },
): AsyncGenerator<VerifyProgress> {
  const progress: VerifyProgress = { looked: 0, bytes: 0, problems: [] };
  let seen = 0;
  for (let after: string | null = null; signal?.aborted !== true; ) {
    const page = await deps.storage.artifacts.namedBodies({ bodyStore: deps.bodies.kind, after, limit: batch });
    const wanted = page.filter(() => seen++ % every === 0);
    await inParallel(wanted, async (body) => {
      try {
        const { bytes, checksum: sha256 } = body;
        for await (const _ of verified(await readNamed(deps, body), { bytes, sha256 }));
      } catch (error) {
        progress.problems.push(problemOf(body, error));
      }
      progress.looked++;
      progress.bytes += body.bytes;
    });
    yield { ...progress };
    after = page.at(-1)?.versionId ?? null;
    if (page.length < batch) return;
  }
}

/** Does something for each item, a few at once; the answers are in the order of the items. */
async function inParallel<Item, Answer>(
  items: readonly Item[],
  work: (item: Item) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let i = 0; i < items.length; i += copiesAtOnce)
    answers.push(...(await Promise.all(items.slice(i, i + copiesAtOnce).map(work))));
  return answers;
}
