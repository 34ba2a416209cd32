import { objectKeys } from "@wheelhouse/artifacts";
import { openDatabaseStore } from "@wheelhouse/artifacts/stores";
import type { Clock } from "@wheelhouse/domain";
import type { RuntimeDeps } from "@wheelhouse/runtime";
import type { Storage } from "@wheelhouse/storage";

/** Bodies in the database of a test, as an installation in memory has them. */
export const databaseBodies = (
  storage: Storage,
  clock: Clock,
): Pick<RuntimeDeps, "bodies" | "objectKeys" | "artifactLimits"> => ({
  bodies: openDatabaseStore({ rows: storage.artifactBodies, clock }),
  objectKeys: objectKeys("a secret that only tests know, long enough"),
  artifactLimits: { inlineBytes: 262_144, maxBytes: 5 * 1024 ** 3, quotaBytes: null },
});
