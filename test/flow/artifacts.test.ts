import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BodyStore, collect, objectKeys } from "@wheelhouse/artifacts";
import { patternOf, sha256Of, streamOf } from "@wheelhouse/artifacts/contract";
import { openDatabaseStore, openDirectoryStore } from "@wheelhouse/artifacts/stores";
import {
  authorityOfSession,
  deleteArtifact,
  listArtifacts,
  type PutArtifactInput,
  putArtifact,
  readArtifact,
  restoreArtifactVersion,
} from "@wheelhouse/runtime";
import { claimRun, eventsOf, registerGuide, submit, succeed } from "@wheelhouse/storage/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorld, type World } from "../worlds/open-world.ts";

const twenty = Array.from({ length: 20 }, (_, i) => i + 1);

describe.each([
  ["memory", "database"],
  ["sqlite", "directory"],
  ["postgres", "directory"],
] as const)("artifacts on %s with bodies in the %s", (kind, where) => {
  let world: World;
  let folder: string;
  let bodies: BodyStore;
  beforeAll(async () => {
    world = await openWorld(kind);
    await registerGuide(world, world.projectId);
    folder = await mkdtemp(join(tmpdir(), "wheelhouse-artifacts-"));
    const rows = world.storage.artifactBodies;
    bodies =
      where === "directory" ? await openDirectoryStore({ folder }) : openDatabaseStore({ rows, clock: world.clock });
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const deps = (maxBytes = 5_000_000) => ({
    ...{ storage: world.storage, bodies, clock: world.clock, newId: world.newId },
    objectKeys: objectKeys("a secret that only tests know, long enough"),
    artifactLimits: { inlineBytes: 1_000, maxBytes, quotaBytes: null },
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  const me = () => world.authority();
  const put = (input: PutArtifactInput, as = me()) => putArtifact(deps(), as, input);
  const read = async (path: string, version?: number, as = me()) => {
    const { body } = await readArtifact(deps(), as, { path, version });
    return await collect(await body());
  };

  for (const [what, size] of [
    ["small", 500],
    ["big", 300_000],
  ] as const)
    it(`gives twenty racing writers of ${what} bodies a version each, with the bytes that each of them sent`, async () => {
      const path = `/files/raced-${what}.bin`;
      const made = await Promise.all(
        twenty.map(async (i) => ({ i, ...(await put({ path, body: streamOf(patternOf(size, i)) })) })),
      );
      expect(made.map(({ version }) => version).sort((a, b) => a - b)).toEqual(twenty);
      for (const { i, version } of made) expect(sha256Of(await read(path, version))).toBe(sha256Of(patternOf(size, i)));
    });

  it("lets exactly one of twenty writers win who all expect the same version", async () => {
    const path = "/files/expected.txt";
    const outcomes = await Promise.allSettled(
      twenty.map((i) => put({ path, text: `writer ${i}`, expectedVersion: 0 })),
    );
    const lost = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(lost).toHaveLength(19);
    for (const { reason } of lost) expect(reason).toMatchObject({ code: "ARTIFACT_CONFLICT" });
  });

  it("takes a body up to its limit and not a byte more, whether or not its sender says how long it is", async () => {
    const path = "/files/limit.bin";
    const limited = (bytes: number, said: number | null) =>
      putArtifact(deps(100_000), me(), { path, body: streamOf(patternOf(bytes)), bytes: said });
    expect((await limited(100_000, null)).version).toBe(1);
    for (const said of [null, 100_001])
      await expect(limited(100_001, said)).rejects.toMatchObject({ code: "TOO_LARGE" });
    for (const said of [50_000, 99_999])
      await expect(limited(60_000, said)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect((await read(path)).length).toBe(100_000);
  });

  it("says so when the bytes are not those that were written, and gives none of them", async () => {
    const path = "/files/changed.bin";
    await put({ path, body: streamOf(patternOf(3_000_000)) });
    const { version } = await readArtifact(deps(), me(), { path });
    const key = version.objectKey ?? "";
    await bodies.put(streamOf(patternOf(3_000_000, 9)), () => key, { contentType: "application/octet-stream" });
    const got: number[] = [];
    const reading = async () => {
      const { body } = await readArtifact(deps(), me(), { path });
      for await (const piece of await body()) got.push(piece.length);
    };
    await expect(reading()).rejects.toMatchObject({ code: "BODY_CORRUPT" });
    // Of a big body pieces are given while it is verified, and never the last one.
    expect(got.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(3_000_000);
    await bodies.delete([key]);
    await expect(reading()).rejects.toMatchObject({ code: "BODY_MISSING" });
  });

  it("serves the agents of a scope, and nobody in the scope beside", async () => {
    const owner = world.authority({ reach: "EXACT", scope: { project: "acme", user: "u-1" } });
    const { session, run, task } = await submit(world, {}, owner);
    const { fence } = await claimRun(world, run.id);
    const agent = authorityOfSession(session, run.id);
    const byRun = { run: { fence, taskId: task.id, checkpointId: "c1" } };
    const { artifact } = await put({ path: "/artifacts/report.md", text: "# Report", ...byRun }, agent);
    expect(artifact).toMatchObject({ sessionId: session.id, runId: run.id, taskId: task.id, source: "run" });
    await put({ path: "/policies/rules.md", text: "be kind" }, owner);
    const overPolicy = put({ path: "/policies/rules.md", text: "be rude", ...byRun }, agent);
    await expect(overPolicy).rejects.toMatchObject({ code: "FORBIDDEN" });
    const { session: second } = await submit(world, {}, owner);
    const colleague = authorityOfSession(second, "another run");
    expect(new TextDecoder().decode(await read("/artifacts/report.md", undefined, colleague))).toBe("# Report");
    const listed = await listArtifacts(deps(), colleague, { prefix: "/", limit: 10 });
    expect(listed.map((each) => each.artifact.path)).toEqual(["/artifacts/report.md", "/policies/rules.md"]);
    const sibling = world.authority({ reach: "EXACT", scope: { project: "acme", user: "u-2" } });
    await expect(read("/artifacts/report.md", undefined, sibling)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await listArtifacts(deps(), sibling, { prefix: "/", limit: 10 })).toEqual([]);
    await succeed(world, fence);
    const late = put({ path: "/artifacts/report.md", text: "late", ...byRun }, agent);
    await expect(late).rejects.toMatchObject({ code: "LEASE_LOST" });
    const types = (await eventsOf(world, session.id)).map(({ type }) => type);
    expect(types.filter((type) => type === "artifact.published")).toHaveLength(1);
    expect(types.at(-1)).toBe("task.completed");
  });

  it("restores with the bytes and the type that were, and deletes every byte", async () => {
    const path = "/files/back.csv";
    await put({ path, body: streamOf(patternOf(0)), contentType: "text/csv" });
    const first = new TextEncoder().encode("a,b\n".repeat(1_000));
    await put({ path, body: streamOf(first), contentType: "text/csv" });
    const { artifact } = await put({ path, text: "gone" });
    const restored = await restoreArtifactVersion(deps(), me(), { path, version: 2, expectedVersion: 3 });
    expect(restored).toMatchObject({ version: 4, artifact: { id: artifact.id, source: "restore" } });
    expect(sha256Of(await read(path))).toBe(sha256Of(first));
    expect((await readArtifact(deps(), me(), { path })).version.contentType).toBe("text/csv");
    const before = (await bodies.list({ after: null, limit: 1000 })).length;
    const { receipt } = await deleteArtifact(deps(), me(), { path });
    expect(receipt).toMatchObject({ versions: 4, bytes: 8_004, bodiesDeletedAt: world.clock.now() });
    expect(await bodies.list({ after: null, limit: 1000 })).toHaveLength(before - receipt.bodies);
    await expect(read(path)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect((await put({ path, text: "anew" })).version).toBe(1);
  });
});
