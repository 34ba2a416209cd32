import type { Clock } from "@wheelhouse/domain";
import type { Storage } from "@wheelhouse/storage";
import type { BodyStore } from "./body-store.ts";

export interface SweepDeps {
  storage: Pick<Storage, "artifacts">;
  bodies: BodyStore;
  clock: Clock;
}

/** Bodies looked at, marked, condemned and deleted at once. */
const batch = 500;

export interface SweepCounts {
  looked: number;
  marked: number;
  condemned: number;
  deleted: number;
  /** Uploads that came to nothing. */
  abandoned: number;
}

/**
 * Deletes bodies that no manifest names, in two phases: what is older than `ageMs` and unnamed is marked; what is still
 * unnamed `ageMs` after it was marked is condemned, and deleted. A publication that names a marked body takes the mark
 * away; one that comes too late for that is told to send the body again.
 */
export async function sweepOrphans(deps: SweepDeps, ageMs: number, signal?: AbortSignal): Promise<SweepCounts> {
  const { storage, bodies, clock } = deps;
  const before = new Date(clock.now().getTime() - ageMs);
  const counts: SweepCounts = { looked: 0, marked: 0, condemned: 0, deleted: 0, abandoned: 0 };
  counts.abandoned = await bodies.abandonUploads(before);
  for (let after: string | null = null; signal?.aborted !== true; ) {
    const page = await bodies.list({ after, limit: batch });
    const keys = page.filter(({ modifiedAt }) => modifiedAt < before).map(({ key }) => key);
    counts.looked += page.length;
    counts.marked += await storage.artifacts.markUnnamed({ bodyStore: bodies.kind, keys, at: clock.now() });
    after = page.at(-1)?.key ?? null;
    if (page.length < batch) break;
  }
  while (signal?.aborted !== true) {
    const wish = { bodyStore: bodies.kind, before, limit: batch, at: clock.now() };
    const condemned = await storage.artifacts.condemn(wish);
    counts.condemned += condemned;
    if (condemned < batch) break;
  }
  counts.deleted = await deleteCondemned(deps, signal);
  return counts;
}

/** Deletes what has been condemned, and completes the receipts of deleted artifacts. */
export async function deleteCondemned({ storage, bodies, clock }: SweepDeps, signal?: AbortSignal): Promise<number> {
  let deleted = 0;
  while (signal?.aborted !== true) {
    const keys = await storage.artifacts.condemned({ bodyStore: bodies.kind, limit: batch });
    if (keys.length > 0) {
      await bodies.delete(keys);
      await storage.artifacts.forgetBodies({ keys, at: clock.now() });
    }
    deleted += keys.length;
    if (keys.length < batch) break;
  }
  return deleted;
}
