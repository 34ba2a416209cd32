import { bodyStoreContract } from "@wheelhouse/artifacts/contract";
import { openDatabaseStore } from "@wheelhouse/artifacts/stores";
import { describe } from "vitest";
import { openWorld, type WorldKind } from "../worlds/open-world.ts";

const kinds: WorldKind[] = ["memory", "sqlite", "postgres"];

describe.each(kinds)("bodies in the database (%s)", (kind) => {
  bodyStoreContract(async () => {
    const world = await openWorld(kind);
    const { clock } = world;
    const store = openDatabaseStore({ rows: world.storage.artifactBodies, clock });
    return { store, presigns: false, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
  });
});
