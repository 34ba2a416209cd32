import { digestOf } from "@wheelhouse/domain/digest";
import { describe, expect, it } from "vitest";
import type { ArtifactRecord, NewArtifactVersion, PublishOutcome } from "../artifacts.ts";
import type { ContractWorld, OpenContractWorld } from "./contract-world.ts";
import { claimRun, eventsOf, rangeTo, registerGuide, submit, succeed, useWorld } from "./sample-work.ts";

/** The next version of an artifact that its maker takes for new, unless the options say otherwise. */
export function versionOf(world: ContractWorld, more: Partial<NewArtifactVersion> = {}): NewArtifactVersion {
  const artifactId = world.newId();
  const basis = more.basis ?? { artifactId, version: 1 };
  const objectKey = `scopes/x/files/${basis.artifactId}/${basis.version}/${world.newId()}`;
  return {
    basis,
    expectedVersion: null,
    path: `/files/${artifactId}.txt`,
    kind: "FILE",
    name: `${artifactId}.txt`,
    visibility: "END_USER",
    source: "api",
    ...{ sessionId: null, taskId: null, runId: null, checkpointId: null, fence: null },
    quotaBytes: null,
    at: world.clock.now(),
    ...more,
    version: {
      ...{ id: world.newId(), contentType: "text/plain", bytes: 5, checksum: digestOf(objectKey) },
      ...{ bodyStore: "directory", objectKey, inlineBody: null, createdBy: "USER:user-1" },
      ...more.version,
    },
  };
}

export function published(outcome: PublishOutcome): ArtifactRecord {
  if (outcome.outcome !== "published") throw new Error(`Nothing was published: ${outcome.outcome}`);
  return outcome.artifact;
}

export const publish = async (world: ContractWorld, more: Partial<NewArtifactVersion> = {}, as = world.authority()) =>
  published(await world.storage.artifacts.publish(as, versionOf(world, more)));

/** Publishes like somebody who makes the key anew whenever others were faster. */
async function publishUntilDone(world: ContractWorld, path: string): Promise<number> {
  let basis = { artifactId: world.newId(), version: 1 };
  for (;;) {
    const outcome = await world.storage.artifacts.publish(world.authority(), versionOf(world, { path, basis }));
    if (outcome.outcome === "published") return outcome.version;
    if (outcome.outcome !== "moved") throw new Error(outcome.outcome);
    basis = outcome.basis;
  }
}

/** Manifests: versions that nobody loses, events in the same transaction, counted bytes, bodies on their way out. */
export function artifactsContract(openWorld: OpenContractWorld): void {
  describe("artifacts", () => {
    const world = useWorld(openWorld);
    const artifacts = () => world().storage.artifacts;
    const me = () => world().authority();
    const basisOf = ({ id, latestVersion }: ArtifactRecord) => ({ artifactId: id, version: latestVersion + 1 });

    it("are kept as they were given, version by version", async () => {
      const first = await publish(world(), { path: "/files/kept.txt", name: "kept.txt" });
      expect(first).toMatchObject({ path: "/files/kept.txt", kind: "FILE", latestVersion: 1, scope: me().scope });
      const input = versionOf(world(), { path: first.path, basis: basisOf(first) });
      const second = published(await artifacts().publish(me(), input));
      expect(second).toMatchObject({ id: first.id, latestVersion: 2 });
      const latest = await artifacts().find(me(), { id: first.id });
      expect(latest?.artifact).toEqual(second);
      expect(latest?.version).toMatchObject({ ...input.version, version: 2, parentVersion: 1 });
      const old = await artifacts().find(me(), { path: first.path }, 1);
      expect(old?.version).toMatchObject({ version: 1, parentVersion: null, bytes: 5 });
      expect(await artifacts().find(me(), { id: first.id }, 3)).toBeNull();
      expect(await artifacts().find(me(), { path: "/files/absent" })).toBeNull();
    });

    it("keep small bodies in their rows, byte by byte", async () => {
      const inlineBody = new Uint8Array(256).map((_, i) => i);
      const basis = { artifactId: world().newId(), version: 1 };
      const { version } = versionOf(world(), { basis });
      const { id } = await publish(world(), { basis, version: { ...version, objectKey: null, inlineBody } });
      const found = await artifacts().find(me(), { id });
      expect([...(found?.version.inlineBody ?? [])]).toEqual([...inlineBody]);
      expect(found?.version.objectKey).toBeNull();
      expect([...((await artifacts().inlineBody(found?.version.id ?? "")) ?? [])]).toEqual([...inlineBody]);
    });

    it("refuse a version that is not the expected one, from the past and from the future", async () => {
      const made = await publish(world());
      const again = (expectedVersion: number, path = made.path) =>
        artifacts().publish(me(), versionOf(world(), { path, basis: basisOf(made), expectedVersion }));
      for (const wrong of [0, 2, 7]) expect(await again(wrong)).toEqual({ outcome: "conflict", current: made });
      expect(await again(1, "/files/not-there.txt")).toEqual({ outcome: "conflict", current: null });
      expect(await again(1)).toMatchObject({ outcome: "published", version: 2 });
    });

    it("are found by a scope whose keys come in any order", async () => {
      const scope = (keys: Record<string, string>) => world().authority({ reach: "EXACT", scope: keys });
      const { path } = await publish(world(), {}, scope({ user: "u-1", project: "acme" }));
      expect(await artifacts().find(scope({ project: "acme", user: "u-1" }), { path })).not.toBeNull();
    });

    it("say what has changed when the body's key was made for something else", async () => {
      const made = await publish(world());
      const mine = { artifactId: world().newId(), version: 1 };
      const outcome = await artifacts().publish(me(), versionOf(world(), { path: made.path, basis: mine }));
      expect(outcome).toEqual({ outcome: "moved", basis: { artifactId: made.id, version: 2 } });
    });

    it("give each of twenty racing writers a version of its own", async () => {
      const path = "/files/raced.txt";
      const versions = await Promise.all(rangeTo(20).map(() => publishUntilDone(world(), path)));
      expect(versions.sort((a, b) => a - b)).toEqual(rangeTo(20));
      const rows = await world().models.artifactVersion.findMany({ where: { artifact: { path } } });
      expect(rows.map(({ version }) => version).sort((a, b) => a - b)).toEqual(rangeTo(20));
      for (const { objectKey, version } of rows) expect(objectKey?.split("/")[4]).toBe(`${version}`);
    });

    it("let exactly one of twenty writers win who expect the same version", async () => {
      const made = await publish(world());
      const outcomes = await Promise.all(
        rangeTo(20).map(() =>
          artifacts().publish(me(), versionOf(world(), { path: made.path, basis: basisOf(made), expectedVersion: 1 })),
        ),
      );
      expect(outcomes.filter(({ outcome }) => outcome === "published")).toHaveLength(1);
      expect(outcomes.filter(({ outcome }) => outcome === "conflict")).toHaveLength(19);
    });

    it("are told in the session's log, in the same transaction", async () => {
      const { session, run } = await submit(world());
      const { fence } = await claimRun(world(), run.id);
      world().clock.advance(1_000);
      const at = world().clock.now();
      const made = await publish(world(), { sessionId: session.id, runId: run.id, taskId: run.taskId, fence, at });
      expect(made).toMatchObject({ sessionId: session.id, runId: run.id, taskId: run.taskId });
      const event = (await eventsOf(world(), session.id)).find(({ type }) => type === "artifact.published");
      expect(event).toMatchObject({
        runId: run.id,
        payload: { artifactId: made.id, path: made.path, version: 1, contentType: "text/plain", bytes: 5 },
      });
      const row = await world().storage.sessions.get(me(), session.id);
      expect(row).toMatchObject({ lastActivityAt: at, lastSequence: event?.sequence });
      await succeed(world(), fence);
      const late = versionOf(world(), { sessionId: session.id, runId: run.id, fence });
      expect(await artifacts().publish(me(), late)).toEqual({ outcome: "fenced" });
      const deletion = { which: { id: made.id }, expectedVersion: null, fence, receiptId: world().newId(), at };
      expect(await artifacts().delete(me(), deletion)).toEqual({ outcome: "fenced" });
      expect(await artifacts().find(me(), { id: made.id })).not.toBeNull();
      const nowhere = versionOf(world(), { sessionId: world().newId() });
      expect(await artifacts().publish(me(), nowhere)).toEqual({ outcome: "sessionNotFound" });
    });

    it("are deleted by a run that holds its lease, also those of another conversation", async () => {
      const { session } = await submit(world());
      const made = await publish(world(), { sessionId: session.id });
      const { run } = await submit(world());
      const { fence } = await claimRun(world(), run.id);
      const at = world().clock.now();
      const wish = { which: { id: made.id }, expectedVersion: 1, receiptId: world().newId(), at };
      const older = { ...fence, generation: fence.generation - 1 };
      expect(await artifacts().delete(me(), { ...wish, fence: older })).toEqual({ outcome: "fenced" });
      expect(await artifacts().delete(me(), { ...wish, fence })).toMatchObject({ outcome: "deleted" });
      expect((await eventsOf(world(), session.id)).at(-1)).toMatchObject({ type: "artifact.deleted" });
      await succeed(world(), fence);
    });

    it("belong to no session of another scope", async () => {
      const { session } = await submit(world());
      const elsewhere = world().authority({ scope: { project: "acme", user: "u-9" } });
      const outcome = await artifacts().publish(elsewhere, versionOf(world(), { sessionId: session.id }));
      expect(outcome).toEqual({ outcome: "sessionNotFound" });
    });

    it("are seen by those whose events they would be told in", async () => {
      const hidden = await publish(world(), { visibility: "OPERATOR" });
      const user = world().authority({ visibilities: ["END_USER"] });
      expect(await artifacts().find(user, { id: hidden.id })).toBeNull();
      expect(await artifacts().list(user, { prefix: hidden.path, after: null, limit: 10 })).toEqual([]);
      const over = versionOf(world(), { path: hidden.path, basis: basisOf(hidden) });
      expect(await artifacts().publish(user, over)).toEqual({ outcome: "notFound" });
      expect(await artifacts().find(me(), { id: hidden.id })).not.toBeNull();
    });

    it("are listed by the beginning of their path, page by page", async () => {
      for (const name of ["a", "b", "c", "%"]) await publish(world(), { path: `/files/list/${name}` });
      const list = (after: string | null, prefix = "/files/list/") =>
        artifacts().list(me(), { prefix, after, limit: 3 });
      const first = await list(null);
      const second = await list(first.at(-1)?.artifact.path ?? null);
      expect([...first, ...second].map(({ artifact }) => artifact.path).sort()).toEqual(
        ["%", "a", "b", "c"].map((name) => `/files/list/${name}`),
      );
      expect(await list(null, "/files/list/%")).toHaveLength(1);
      expect(first[0]?.version).toMatchObject({ version: 1, bytes: 5 });
    });

    it("spend the project's bytes, and no more than it has", async () => {
      const used = await artifacts().usedBytes(me());
      const spend = (bytes: number, quotaBytes: number) => {
        const input = versionOf(world(), { quotaBytes });
        return artifacts().publish(me(), { ...input, version: { ...input.version, bytes } });
      };
      const made = published(await spend(6_000_000_000, used + 6_000_000_010));
      expect(await artifacts().usedBytes(me())).toBe(used + 6_000_000_000);
      const tooMuch = { outcome: "quotaExceeded", usedBytes: used + 6_000_000_000 };
      expect(await spend(11, used + 6_000_000_010)).toEqual(tooMuch);
      const racing = await Promise.all(rangeTo(5).map(() => spend(4, used + 6_000_000_010)));
      expect(racing.filter(({ outcome }) => outcome === "published")).toHaveLength(2);
      const at = world().clock.now();
      await artifacts().delete(me(), {
        which: { id: made.id },
        expectedVersion: null,
        fence: null,
        receiptId: world().newId(),
        at,
      });
      expect(await artifacts().usedBytes(me())).toBe(used + 8);
    });

    it("are deleted with all versions, and leave a receipt that is completed when the bodies are gone", async () => {
      const { session } = await submit(world());
      const made = await publish(world(), { sessionId: session.id });
      const again = published(
        await artifacts().publish(me(), versionOf(world(), { path: made.path, basis: basisOf(made) })),
      );
      const at = world().clock.now();
      const wish = { which: { path: made.path }, fence: null, receiptId: world().newId(), at };
      expect(await artifacts().delete(me(), { ...wish, expectedVersion: 1 })).toEqual({
        outcome: "conflict",
        current: again,
      });
      const done = await artifacts().delete(me(), { ...wish, expectedVersion: 2 });
      if (done.outcome !== "deleted") throw new Error(done.outcome);
      const { receiptId, receipt, bodies } = done;
      const counts = { artifactId: made.id, path: made.path, versions: 2, bytes: 10, bodies: 2 };
      expect(receipt).toEqual({ ...counts, deletedAt: at, bodiesDeletedAt: null });
      expect(await artifacts().find(me(), { id: made.id })).toBeNull();
      expect(await artifacts().delete(me(), { ...wish, expectedVersion: null })).toEqual({ outcome: "notFound" });
      expect((await eventsOf(world(), session.id)).at(-1)).toMatchObject({
        ...{ type: "artifact.deleted", payload: { artifactId: made.id, path: made.path } },
      });
      const keys = bodies.map(({ objectKey }) => objectKey);
      const condemned = await artifacts().condemned({ bodyStore: "directory", limit: 100 });
      expect(condemned).toEqual(expect.arrayContaining(keys));
      const job = () => world().models.job.findUniqueOrThrow({ where: { id: receiptId } });
      await artifacts().forgetBodies({ keys: keys.slice(0, 1), at });
      expect(await job()).toMatchObject({ status: "RUNNING", receipt: { bodiesDeletedAt: null } });
      await artifacts().forgetBodies({ keys, at });
      expect(await job()).toMatchObject({
        status: "SUCCEEDED",
        receipt: { ...counts, bodiesDeletedAt: at.toISOString() },
      });
    });

    it("lose no body to the sweep that somebody still names or names again", async () => {
      const named = await artifacts().find(me(), { id: (await publish(world())).id });
      const orphans = [`scopes/o/${world().newId()}`, `scopes/o/${world().newId()}`];
      const [first = "", second = ""] = orphans;
      const marks = { bodyStore: "directory" as const, at: world().clock.now() };
      const keys = [named?.version.objectKey ?? "", ...orphans];
      expect(await artifacts().markUnnamed({ ...marks, keys })).toBe(2);
      expect(await artifacts().markUnnamed({ ...marks, keys })).toBe(0);
      const sweep = (before: Date) =>
        artifacts().condemn({ bodyStore: "directory", before, limit: 100, at: world().clock.now() });
      expect(await sweep(marks.at)).toBe(0);
      // Somebody writes the same body once more and names it.
      const input = versionOf(world());
      const naming = (objectKey: string) =>
        artifacts().publish(me(), { ...input, version: { ...input.version, id: world().newId(), objectKey } });
      expect(await naming(first)).toMatchObject({ outcome: "published" });
      world().clock.advance(1_000);
      expect(await sweep(world().clock.now())).toBe(1);
      const condemned = await artifacts().condemned({ bodyStore: "directory", limit: 100 });
      expect(condemned).toContain(second);
      expect(condemned).not.toContain(first);
      const late = versionOf(world());
      const refused = { ...late, version: { ...late.version, objectKey: second } };
      expect(await artifacts().publish(me(), refused)).toEqual({ outcome: "bodyCondemned" });
      await artifacts().forgetBodies({ keys: [second], at: marks.at });
      expect(await artifacts().publish(me(), refused)).toMatchObject({ outcome: "published" });
    });

    it("are marked but not condemned when a manifest named them in between", async () => {
      const input = versionOf(world());
      const key = input.version.objectKey ?? "";
      await artifacts().markUnnamed({ bodyStore: "directory", keys: [key], at: world().clock.now() });
      // As a publication does that began before the mark: the row is there without having looked at it.
      const made = await publish(world());
      await world().models.artifactVersion.updateMany({ where: { artifactId: made.id }, data: { objectKey: key } });
      world().clock.advance(1_000);
      const before = world().clock.now();
      expect(await artifacts().condemn({ bodyStore: "directory", before, limit: 10, at: before })).toBe(0);
      expect(await world().models.artifactBodyMark.count({ where: { objectKey: key } })).toBe(0);
    });

    it("are found by the store that has their bodies, and moved to another once", async () => {
      const made = await publish(world());
      const found = await artifacts().find(me(), { id: made.id });
      const all = [];
      for (let after: string | null = null; ; ) {
        const page = await artifacts().namedBodies({ bodyStore: "directory", after, limit: 7 });
        all.push(...page);
        if (page.length < 7) break;
        after = page.at(-1)?.versionId ?? null;
      }
      const mine = all.find(({ artifactId }) => artifactId === made.id);
      expect(mine).toMatchObject({
        path: made.path,
        scopeKey: made.scopeKey,
        version: 1,
        objectKey: found?.version.objectKey,
      });
      if (mine === undefined) return;
      const { versionId, objectKey } = mine;
      const move = {
        ...{ versionId, from: { bodyStore: "directory" as const, objectKey } },
        to: { bodyStore: "s3" as const, objectKey: "scopes/elsewhere" },
      };
      expect(await artifacts().moveBodies([move])).toBe(1);
      expect(await artifacts().moveBodies([move])).toBe(0);
      const moved = await artifacts().find(me(), { id: made.id });
      expect(moved?.version).toMatchObject({ bodyStore: "s3", objectKey: "scopes/elsewhere" });
      // A key says nothing about where it is a name: in the other store nobody names it.
      const mark = { keys: ["scopes/elsewhere"], at: world().clock.now() };
      expect(await artifacts().markUnnamed({ ...mark, bodyStore: "s3" })).toBe(0);
      expect(await artifacts().markUnnamed({ ...mark, bodyStore: "directory" })).toBe(1);
      const back = { versionId, from: move.to, to: { bodyStore: "directory" as const, objectKey: "scopes/elsewhere" } };
      expect(await artifacts().moveBodies([back])).toBe(1);
      expect(await artifacts().markUnnamed({ ...mark, bodyStore: "directory" })).toBe(0);
    });

    it("are published in few statements", async () => {
      if (world().storage.kind !== "postgres") return;
      await registerGuide(world(), world().projectId);
      const { session } = await submit(world());
      world().statements.length = 0;
      await publish(world(), { sessionId: session.id });
      expect(world().statements.length).toBeLessThanOrEqual(8);
      world().statements.length = 0;
      await publish(world());
      expect(world().statements.length).toBeLessThanOrEqual(6);
    });
  });
}
