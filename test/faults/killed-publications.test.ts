import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BodyStore, collect, objectKeys, sweepOrphans } from "@wheelhouse/artifacts";
import { patternOf, sha256Of, streamOf } from "@wheelhouse/artifacts/contract";
import { openS3Store } from "@wheelhouse/artifacts/s3";
import { openDirectoryStore } from "@wheelhouse/artifacts/stores";
import { putArtifact, readArtifact } from "@wheelhouse/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshBucket, freshBucket } from "../worlds/fresh-bucket.ts";
import { openWorld, type World } from "../worlds/open-world.ts";

const publisher = fileURLToPath(new URL("publisher.ts", import.meta.url));
const day = 86_400_000;
/** A deadline for what hangs: each process loads the product anew, on a machine that may be busy. */
const deadlineMs = 180_000;

/** A process that is killed while it publishes leaves the version before, or the new one, whole. */
describe.each([
  ["directory", "sqlite", 400_000],
  ["s3", "postgres", 9_000_000],
] as const)("a publication into %s and %s that is killed", (kind, database, bytes) => {
  let world: World;
  let folder: string;
  let bucket: FreshBucket | null = null;
  let store: BodyStore;
  beforeAll(async () => {
    world = await openWorld(database);
    folder = await mkdtemp(join(tmpdir(), "wheelhouse-killed-"));
    bucket = kind === "s3" ? await freshBucket() : null;
    store = bucket === null ? await openDirectoryStore({ folder }) : openS3Store(bucket.options);
  });
  afterAll(async () => {
    await store?.abandonUploads(new Date(Date.now() + day));
    await store?.[Symbol.asyncDispose]();
    await bucket?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const deps = (ms = 0) => ({
    ...{ storage: world.storage, bodies: store, newId: world.newId },
    clock: { now: () => new Date(Date.now() + ms) },
    objectKeys: objectKeys("a secret that only tests know, long enough"),
    artifactLimits: { inlineBytes: 262_144, maxBytes: 5 * 1024 ** 3, quotaBytes: null },
  });
  const path = "/files/report.bin";
  async function latest() {
    const { artifact, body } = await readArtifact(deps(), world.authority(), { path });
    return { version: artifact.latestVersion, sha256: sha256Of(await collect(await body())) };
  }
  async function killedAt(at: "sending" | "written" | "verified" | "published") {
    const place = bucket === null ? { folder } : bucket.options;
    const wish = { url: world.url, projectId: world.projectId, at, bytes, store: place };
    const child = spawn(process.execPath, ["--import", "tsx", publisher, JSON.stringify(wish)], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [, signal] = await once(child, "exit");
    expect(signal).toBe("SIGKILL");
  }

  const before = patternOf(1_000, 1);
  const after = patternOf(bytes, 2);

  it(
    "while it sends, when it has written, or when it has verified leaves the version before",
    async () => {
      await putArtifact(deps(), world.authority(), { path, body: streamOf(before) });
      for (const at of ["sending", "written", "verified"] as const) {
        await killedAt(at);
        const found = await latest();
        expect([at, found.version, found.sha256]).toEqual([at, 1, sha256Of(before)]);
      }
    },
    deadlineMs,
  );

  it(
    "right behind its commit leaves the new version",
    async () => {
      await killedAt("published");
      const found = await latest();
      expect(found).toEqual({ version: 2, sha256: sha256Of(after) });
    },
    deadlineMs,
  );

  it("leaves nothing that the sweep does not collect", async () => {
    await sweepOrphans(deps(2 * day), day);
    await sweepOrphans(deps(4 * day), day);
    const left = await store.list({ after: null, limit: 100 });
    const named = await world.models.artifactVersion.findMany({ select: { objectKey: true } });
    expect(left.map(({ key }) => key).sort()).toEqual(named.map(({ objectKey }) => objectKey).sort());
    expect((await latest()).version).toBe(2);
  });
});
