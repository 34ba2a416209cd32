import { deleteCondemned, sweepOrphans } from "@wheelhouse/artifacts";
import type { PeriodicWork } from "./periodic-work.ts";

/** Collects bodies that no manifest names: what killed uploads and lost races left behind. */
export const sweepOrphanedBodies: PeriodicWork = {
  name: "sweep orphaned bodies",
  everyMs: ({ orphanSweepMs }) => orphanSweepMs,
  async sweep(deps, signal) {
    const counts = await sweepOrphans(deps, deps.tunables.orphanAgeMs, signal);
    if (counts.deleted + counts.abandoned > 0) deps.log.info({ ...counts }, "bodies that nobody names were deleted");
  },
};

/** Deletes the bodies of deleted artifacts that could not be deleted with them. */
export const deleteCondemnedBodies: PeriodicWork = {
  name: "delete bodies of deleted artifacts",
  everyMs: 60_000,
  async sweep(deps, signal) {
    await deleteCondemned(deps, signal);
  },
};
