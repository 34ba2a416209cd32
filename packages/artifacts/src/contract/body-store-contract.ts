import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BodyStore, BodyStoreError } from "../body-store.ts";
import { collect } from "../measure.ts";
import { objectKeys } from "../object-keys.ts";
import { keyed, patternOf, sha256Of, streamOf } from "./sample-bodies.ts";

export interface BodyWorld extends AsyncDisposable {
  store: BodyStore;
  /** Whether the store gives addresses. */
  presigns: boolean;
}

const plain = { contentType: "application/octet-stream" };
const absent = keyed()("f".repeat(64));

/** Sizes around everything that a store does by pieces: rows of 1 MiB, uploads in parts of 8 MiB. */
const sizes = [0, 1, 65_537, 1_048_576, 1_048_577, 8_388_608, 8_388_609, 17_000_000];

/** What every store of bodies keeps to. Call it in a test file with a way to open a fresh one. */
export function bodyStoreContract(openWorld: () => Promise<BodyWorld>): void {
  let world: BodyWorld;
  const store = () => world.store;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  const listed = async () => (await store().list({ after: null, limit: 1000 })).map(({ key }) => key);
  const bodyOf = async (key: string) => collect((await store().get(key)).body);

  for (const size of sizes)
    it(`gives ${size} bytes back as they came, however they are cut`, async () => {
      const data = patternOf(size);
      const stored = await store().put(streamOf(data, 100_003), keyed(), plain);
      expect(stored).toMatchObject({ bytes: size, sha256: sha256Of(data) });
      const { bytes, body } = await store().get(stored.key);
      expect(bytes).toBe(size);
      expect(sha256Of(await collect(body))).toBe(stored.sha256);
      const head = await store().head(stored.key);
      expect(head?.bytes).toBe(size);
      if (head?.sha256 != null) expect(head.sha256).toBe(stored.sha256);
      await store().delete([stored.key]);
    });

  it("gives ranges, also over the seams of its pieces", async () => {
    const data = patternOf(2_200_000);
    const { key } = await store().put(streamOf(data), keyed(), plain);
    for (const [start, end] of [
      [0, 0],
      [1_048_575, 1_048_576],
      [5, 2_199_999],
      [2_199_999, 2_199_999],
    ] as const) {
      const part = await collect(await store().getRange(key, { start, end }));
      expect(sha256Of(part)).toBe(sha256Of(data.subarray(start, end + 1)));
    }
  });

  for (const size of [100_000, 17_000_000])
    describe(`a body of ${size} bytes`, () => {
      it("appears only whole: a source that breaks leaves nothing", async () => {
        const before = await listed();
        const breaking = streamOf(patternOf(size), 40_000, size / 40_000 - 1);
        await expect(store().put(breaking, keyed(), plain)).rejects.toThrow("the client went away");
        expect(await listed()).toEqual(before);
      });

      it("appears only with the checksum that was declared", async () => {
        const data = patternOf(size);
        const before = await listed();
        const wrong = store().put(streamOf(data), keyed(), { ...plain, sha256: "0".repeat(64) });
        await expect(wrong).rejects.toThrow(/checksum/);
        expect(await listed()).toEqual(before);
        const right = await store().put(streamOf(data), keyed(), { ...plain, sha256: sha256Of(data) });
        expect(sha256Of(await bodyOf(right.key))).toBe(right.sha256);
        await store().delete([right.key]);
      });

      it("is let go when nobody wants it any more", async () => {
        const stop = new AbortController();
        const before = await listed();
        async function* endless() {
          for (;;) {
            yield patternOf(size);
            stop.abort();
          }
        }
        await expect(store().put(endless(), keyed(), { ...plain, signal: stop.signal })).rejects.toThrow();
        expect(await listed()).toEqual(before);
      });
    });

  it("keeps the same body when twenty write and copy it at once", async () => {
    const data = patternOf(1_300_000);
    const keyOf = keyed();
    const before = await listed();
    const stored = await Promise.all(Array.from({ length: 20 }, () => store().put(streamOf(data), keyOf, plain)));
    const key = keyOf(sha256Of(data));
    expect(new Set(stored.map((body) => body.key))).toEqual(new Set([key]));
    const second = keyed()(sha256Of(data));
    await Promise.all(Array.from({ length: 20 }, () => store().copy(key, second)));
    expect(await listed()).toEqual([...before, key, second].sort());
    for (const one of [key, second]) expect(sha256Of(await bodyOf(one))).toBe(sha256Of(data));
  });

  it("copies to a second key, which outlives the first", async () => {
    const data = patternOf(1_500_000);
    const from = await store().put(streamOf(data), keyed(), plain);
    const to = keyed()(from.sha256);
    await store().copy(from.key, to);
    await store().copy(from.key, to);
    await store().copy(to, to);
    await store().delete([from.key]);
    expect(await store().head(from.key)).toBeNull();
    expect(sha256Of(await bodyOf(to))).toBe(from.sha256);
    await store().delete([to]);
  });

  it("says that a body is missing, and deletes it any number of times", async () => {
    const missing = expect.objectContaining({ code: "BODY_MISSING" });
    expect(await store().head(absent)).toBeNull();
    await expect(store().get(absent)).rejects.toThrow(missing);
    await expect(store().getRange(absent, { start: 0, end: 1 })).rejects.toThrow(missing);
    await expect(store().copy(absent, keyed()("0"))).rejects.toThrow(missing);
    await store().delete([absent, absent]);
    await store().delete([]);
    await expect(store().get(absent)).rejects.toBeInstanceOf(BodyStoreError);
  });

  it("takes no key but its own kind", async () => {
    for (const key of ["../outside", "/etc/passwd", "a/../b", "a//b", "a/", "A/b", "a\0b", "", "a/.hidden"])
      await expect((async () => store().get(key))()).rejects.toThrow(TypeError);
  });

  it("lists what it has page by page, in order, and not what is on its way", async () => {
    const keys = objectKeys("another secret");
    const made: string[] = [];
    for (let version = 1; version <= 12; version++) {
      const place = { scopeKey: `${version % 3}`, kind: "FILE", artifactId: "0".repeat(8), version } as const;
      const { key } = await store().put(
        streamOf(patternOf(10, version)),
        (sha256) => keys({ ...place, sha256 }),
        plain,
      );
      made.push(key);
    }
    const found: string[] = [];
    for (let after: string | null = null; ; ) {
      const page = await store().list({ after, limit: 5 });
      found.push(...page.map(({ key }) => key));
      for (const { modifiedAt } of page)
        expect(Math.abs(Date.now() - modifiedAt.getTime())).toBeLessThan(86_400_000 * 400);
      const last = page.at(-1);
      if (last === undefined || page.length < 5) break;
      after = last.key;
    }
    expect(new Set(found).size).toBe(found.length);
    expect(found).toEqual(expect.arrayContaining(made));
    expect(found.every((key) => key.startsWith("scopes/"))).toBe(true);
    await store().delete(made);
  });

  it("forgets uploads that came to nothing, and no body", async () => {
    const { key } = await store().put(streamOf(patternOf(10)), keyed(), plain);
    await store().abandonUploads(new Date(Date.now() + 86_400_000));
    expect(await store().head(key)).toMatchObject({ bytes: 10 });
  });

  it("can be used, and says what it is", async () => {
    await store().check();
    const { key } = await store().put(streamOf(patternOf(10)), keyed(), { contentType: "text/plain" });
    const url = await store().presign(key, {
      ...{ expiresSeconds: 60, contentType: "text/plain", contentDisposition: "attachment" },
    });
    if (!world.presigns) return expect(url).toBeNull();
    const answer = await fetch(url ?? "");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/plain");
    expect(answer.headers.get("content-disposition")).toBe("attachment");
    expect(sha256Of(new Uint8Array(await answer.arrayBuffer()))).toBe(sha256Of(patternOf(10)));
  });
}
