import { PutObjectCommand } from "@aws-sdk/client-s3";
import { type BodyStore, collect, objectKeys, sweepOrphans } from "@wheelhouse/artifacts";
import { patternOf, sha256Of, streamOf } from "@wheelhouse/artifacts/contract";
import { openS3Store, type S3Options } from "@wheelhouse/artifacts/s3";
import { deleteArtifact, presignArtifact, putArtifact, readArtifact } from "@wheelhouse/runtime";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type FreshBucket, freshBucket } from "../worlds/fresh-bucket.ts";
import { openWorld, type World } from "../worlds/open-world.ts";
import { type GatedProxy, openGatedProxy } from "./gated-proxy.ts";

const path = "/files/report.bin";
const small = patternOf(100_000, 1);
const big = patternOf(20_000_000, 2);

describe("an object store that fails", () => {
  let world: World;
  let bucket: FreshBucket;
  let proxy: GatedProxy;
  let store: BodyStore;
  beforeAll(async () => {
    world = await openWorld("memory");
    bucket = await freshBucket();
    proxy = await openGatedProxy(bucket.options.endpoint);
    store = openStore({});
  });
  afterEach(() => proxy.heal());
  afterAll(async () => {
    await store?.abandonUploads(new Date(Date.now() + 86_400_000));
    await store?.[Symbol.asyncDispose]();
    await proxy?.[Symbol.asyncDispose]();
    await bucket?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  const openStore = (more: Partial<S3Options>) =>
    openS3Store({ ...bucket.options, endpoint: proxy.url, silenceMs: 1_500, maxAttempts: 2, ...more });
  const depsOf = (bodies: BodyStore = store, storage = world.storage) => ({
    ...{ storage, bodies, clock: world.clock, newId: world.newId },
    objectKeys: objectKeys("a secret that only tests know, long enough"),
    artifactLimits: { inlineBytes: 262_144, maxBytes: 5 * 1024 ** 3, quotaBytes: null },
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  const put = (data: Uint8Array, deps = depsOf()) =>
    putArtifact(deps, world.authority(), { path, body: streamOf(data) });
  const read = async (deps = depsOf()) => {
    const { artifact, version, body } = await readArtifact(deps, world.authority(), { path });
    return { latest: artifact.latestVersion, version, bytes: await collect(await body()) };
  };
  /** The versions that there are, each with its bytes as they were written. */
  const expectIntact = async (latest: number, data: Uint8Array) => {
    const found = await read();
    expect(found.latest).toBe(latest);
    expect(sha256Of(found.bytes)).toBe(sha256Of(data));
  };
  /** Refused in words that name neither the place, nor the key, nor who asked. */
  async function refused(work: Promise<unknown>, code: string, reason?: RegExp) {
    const error: unknown = await work.then(
      () => null,
      (each: unknown) => each,
    );
    expect(error).toMatchObject({ name: "Refusal", code });
    const said = JSON.stringify([String(error), error]);
    const { bucket: name, prefix, credentials, endpoint } = bucket.options;
    for (const secret of [name, prefix, credentials.accessKeyId, credentials.secretAccessKey, endpoint, proxy.url])
      expect(said).not.toContain(secret);
    if (reason !== undefined) expect(String(error)).toMatch(reason);
  }
  const keyOfLatest = async () => bucket.keyOf((await read()).version.objectKey ?? "");
  const overwrite = (Key: string, Body: Uint8Array) =>
    bucket.client.send(new PutObjectCommand({ Bucket: bucket.options.bucket, Key, Body }));

  it("keeps the version before when it is killed in the middle of an upload", async () => {
    await put(small);
    for (const [data, bytes] of [
      [small, 50_000],
      [big, 10_000_000],
    ] as const) {
      proxy.killAfter(bytes);
      await refused(put(data), "STORE_UNAVAILABLE", /ECONNRESET|ECONNREFUSED|TimeoutError|EPIPE/);
      proxy.heal();
      await expectIntact(1, small);
    }
  });

  it("says what it refuses: credentials that are wrong, a bucket that is not there", async () => {
    const credentials = { accessKeyId: "AKIDNOBODY", secretAccessKey: "a secret of nobody" };
    const { accessKeyId } = bucket.options.credentials;
    const wrongs: [Partial<S3Options>, RegExp][] = [
      [{ credentials }, /InvalidAccessKeyId|Forbidden|AccessDenied/],
      [{ credentials: { accessKeyId, secretAccessKey: "another" } }, /SignatureDoesNotMatch|Forbidden|AccessDenied/],
      [{ bucket: "nobody-made-this-bucket" }, /NoSuchBucket/],
    ];
    for (const [more, reason] of wrongs) {
      await using wrong = openStore(more);
      await refused(put(small, depsOf(wrong)), "STORE_UNAVAILABLE", reason);
      await refused(put(big, depsOf(wrong)), "STORE_UNAVAILABLE", reason);
      await expect(wrong.check()).rejects.toThrow(expect.objectContaining({ code: "STORE_UNAVAILABLE" }));
    }
    await expectIntact(1, small);
  });

  it("is not waited for without end, when it takes a body or gives one", async () => {
    proxy.silenceAfter(0);
    await refused(put(small), "STORE_UNAVAILABLE", /TimeoutError/);
    await expect(store.check()).rejects.toThrow(/TimeoutError/);
    proxy.heal();
    await put(big);
    proxy.silenceAfter(5_000_000);
    await expect(read()).rejects.toThrow(/TimeoutError/);
    proxy.heal();
    await expectIntact(2, big);
  });

  it("gives no bytes for others: corrupted, cut short, deleted behind our back", async () => {
    await put(small);
    const key = await keyOfLatest();
    await overwrite(key, patternOf(small.length, 9));
    await refused(read(), "BODY_CORRUPT");
    await overwrite(key, small.subarray(0, 99_999));
    await refused(read(), "BODY_CORRUPT");
    await overwrite(key, small);
    await expectIntact(3, small);
    await store.delete([key.slice(bucket.options.prefix.length + 1)]);
    await refused(read(), "BODY_MISSING");
    await overwrite(key, small);
  });

  it("is not believed: what it acknowledged is looked at before a manifest names it", async () => {
    const lying: BodyStore = {
      ...store,
      async put(body, keyOf, options) {
        const stored = await store.put(body, keyOf, options);
        await overwrite(bucket.keyOf(stored.key), patternOf(stored.bytes, 7));
        return stored;
      },
    };
    await refused(put(small, depsOf(lying)), "BODY_CORRUPT");
    await refused(put(big, depsOf(lying)), "BODY_CORRUPT");
    const forgetful: BodyStore = { ...store, head: async () => null };
    await refused(put(small, depsOf(forgetful)), "BODY_MISSING");
    await expectIntact(3, small);
  });

  it("is left with bodies that nobody names when the manifest fails, which are swept", async () => {
    const failing = {
      ...world.storage,
      artifacts: { ...world.storage.artifacts, publish: () => Promise.reject(new Error("the database is away")) },
    };
    await expect(put(patternOf(1_000, 5), depsOf(store, failing))).rejects.toThrow("the database is away");
    await expectIntact(3, small);
    const before = (await store.list({ after: null, limit: 1000 })).length;
    const day = 86_400_000;
    const later = (ms: number) => ({ ...depsOf(), clock: { now: () => new Date(Date.now() + ms) } });
    expect(await sweepOrphans(later(0), day)).toMatchObject({ looked: before, marked: 0, deleted: 0 });
    const marked = (await sweepOrphans(later(day * 2), day)).marked;
    expect(marked).toBeGreaterThan(0);
    expect(await sweepOrphans(later(day * 2), day)).toMatchObject({ marked: 0, deleted: 0 });
    expect(await sweepOrphans(later(day * 4), day)).toMatchObject({ condemned: marked, deleted: marked });
    expect(await store.list({ after: null, limit: 1000 })).toHaveLength(before - marked);
    await expectIntact(3, small);
  });

  it("completes a deletion later that it could not do at once", async () => {
    proxy.killAfter(0);
    const { receiptId, receipt } = await deleteArtifact(depsOf(), world.authority(), { path });
    expect(receipt).toMatchObject({ versions: 3, bodies: 3, bodiesDeletedAt: null });
    proxy.heal();
    expect(await store.list({ after: null, limit: 10 })).toHaveLength(3);
    await sweepOrphans(depsOf(), 86_400_000);
    expect(await store.list({ after: null, limit: 10 })).toEqual([]);
    expect(await world.models.job.findUniqueOrThrow({ where: { id: receiptId } })).toMatchObject({
      status: "SUCCEEDED",
    });
  });

  it("hands out addresses that end", async () => {
    const { artifact, version } = await put(small);
    const found = await readArtifact(depsOf(), world.authority(), { id: artifact.id, version });
    const options = { contentType: "text/plain", contentDisposition: "attachment" };
    const address = async (expiresSeconds: number) =>
      (await store.presign(found.version.objectKey ?? "", { ...options, expiresSeconds })) ?? "";
    // Signatures count from a whole second, so an address of one second may end at once: that it serves is shown by a longer one.
    const url = await address(60);
    expect((await fetch(url)).status).toBe(200);
    const short = await address(1);
    await expect.poll(async () => (await fetch(short)).status, { interval: 200, timeout: 10_000 }).toBe(403);
    const lasting = (await presignArtifact(depsOf(), world.authority(), { id: artifact.id })) ?? "";
    expect(new URL(lasting).searchParams.get("X-Amz-Expires")).toBe("900");
    const given = await fetch(lasting);
    expect([given.status, given.headers.get("content-disposition")]).toEqual([
      200,
      expect.stringMatching(/^attachment/),
    ]);
    const tampered = url.replace("attachment", "inline");
    expect((await fetch(tampered)).status).toBe(403);
  });
});
