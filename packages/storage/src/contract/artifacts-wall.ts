import { versionOf } from "./artifacts.ts";
import type { Row } from "./scope-wall.ts";

const sweeping = { unscoped: "the product's own sweeps over all projects; nobody's request reaches them" };
const operating = { unscoped: "the operator's commands over all projects; nobody's request reaches them" };
const keyed = { unscoped: "a store of bodies; its keys are secrets that only a manifest behind the wall names" };

/** The rows of the scope wall's table for artifacts and their bodies. */
export const artifactRows: Record<string, Row> = {
  "artifacts.find": {
    call: async (world, caller, { artifactId, artifactPath }) => {
      const { artifacts } = world.storage;
      const found = [
        await artifacts.find(caller, { id: artifactId }),
        await artifacts.find(caller, { path: artifactPath }),
      ];
      return found.every((each) => each === null) ? "notFound" : found;
    },
  },
  "artifacts.list": {
    call: async (world, caller, { artifactPath }) => {
      const found = await world.storage.artifacts.list(caller, { prefix: artifactPath, after: null, limit: 10 });
      return found.length === 0 ? "notFound" : found;
    },
  },
  "artifacts.publish": {
    ownsByKey: true,
    call: async (world, caller, { artifactPath, sessionId }) => {
      // Into the owner's conversation, and beside it: over what the owner has at this path.
      const inside = await world.storage.artifacts.publish(caller, versionOf(world, { path: artifactPath, sessionId }));
      const beside = await world.storage.artifacts.publish(caller, versionOf(world, { path: artifactPath }));
      return [inside.outcome, beside.outcome];
    },
  },
  "artifacts.delete": {
    call: (world, caller, { artifactId }) =>
      world.storage.artifacts.delete(caller, {
        ...{ which: { id: artifactId }, expectedVersion: null, fence: null },
        ...{ receiptId: world.newId(), at: world.clock.now() },
      }),
  },
  "artifacts.usedBytes": { unscoped: "one number of the caller's own project" },
  "artifacts.markUnnamed": sweeping,
  "artifacts.condemn": sweeping,
  "artifacts.condemned": sweeping,
  "artifacts.forgetBodies": sweeping,
  "artifacts.namedBodies": operating,
  "artifacts.inlineBody": operating,
  "artifacts.moveBodies": operating,
  "artifacts.activeRuns": operating,
  "artifactBodies.write": keyed,
  "artifactBodies.rename": keyed,
  "artifactBodies.copy": keyed,
  "artifactBodies.read": keyed,
  "artifactBodies.size": keyed,
  "artifactBodies.delete": keyed,
  "artifactBodies.deleteOlder": sweeping,
  "artifactBodies.list": sweeping,
};
