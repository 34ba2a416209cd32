import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { bodyStoreContract, keyed, patternOf, streamOf } from "@wheelhouse/artifacts/contract";
import { openDirectoryStore } from "@wheelhouse/artifacts/stores";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const plain = { contentType: "application/octet-stream" };

describe("bodies in a directory", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "wheelhouse-bodies-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  bodyStoreContract(async () => ({
    store: await openDirectoryStore({ folder: join(folder, "contract") }),
    presigns: false,
    [Symbol.asyncDispose]: async () => undefined,
  }));

  it("leaves no temporary file behind", async () => {
    const place = join(folder, "tidy");
    const store = await openDirectoryStore({ folder: place });
    await store.put(streamOf(patternOf(100_000)), keyed(), plain);
    const broken = store.put(streamOf(patternOf(100_000), 10_000, 5), keyed(), plain);
    await expect(broken).rejects.toThrow();
    expect(await readdir(join(place, "staging"))).toEqual([]);
  });

  it("forgets what a process left that was killed while it wrote", async () => {
    const place = join(folder, "killed");
    const store = await openDirectoryStore({ folder: place });
    await mkdir(join(place, "staging"));
    await writeFile(join(place, "staging", "half"), "half a body");
    expect(await store.abandonUploads(new Date(Date.now() - 60_000))).toBe(0);
    expect(await store.list({ after: null, limit: 10 })).toEqual([]);
    expect(await store.abandonUploads(new Date(Date.now() + 60_000))).toBe(1);
    expect(existsSync(join(place, "staging", "half"))).toBe(false);
  });

  it("follows no symbolic link, in the middle of a path or at its end", async () => {
    const place = join(folder, "links");
    const outside = join(folder, "outside");
    await mkdir(outside);
    const store = await openDirectoryStore({ folder: place });
    const { key } = await store.put(streamOf(patternOf(10)), keyed(), plain);
    const refused = expect.objectContaining({ code: "STORE_UNAVAILABLE" });

    const asFile = keyed()("a".repeat(64));
    await mkdir(dirname(join(place, asFile)), { recursive: true });
    await writeFile(join(outside, "secret"), "secret");
    await symlink(join(outside, "secret"), join(place, asFile));
    await expect(store.get(asFile)).rejects.toThrow(refused);
    await expect(store.copy(asFile, keyed()("b".repeat(64)))).rejects.toThrow(refused);

    const asFolder = keyed()("c".repeat(64));
    await symlink(outside, join(place, asFolder.split("/").slice(0, -2).join("/")));
    await mkdir(join(outside, "1"));
    await writeFile(join(outside, "1", "c".repeat(64)), "secret");
    await expect(store.get(asFolder)).rejects.toThrow(refused);
    await expect(store.put(streamOf(patternOf(10)), () => asFolder, plain)).rejects.toThrow(refused);
    expect((await store.list({ after: null, limit: 100 })).map((body) => body.key)).toEqual([key]);
  });

  it("says so when it cannot be used, without naming where it is", async () => {
    const place = join(folder, "gone");
    const store = await openDirectoryStore({ folder: place });
    await rm(place, { recursive: true });
    await writeFile(place, "a file");
    const wrong = store.put(streamOf(patternOf(10)), keyed(), plain);
    await expect(wrong).rejects.toThrow(expect.objectContaining({ code: "STORE_UNAVAILABLE" }));
    await expect(wrong).rejects.not.toThrow(folder);
    await expect(store.check()).rejects.toThrow(expect.objectContaining({ code: "STORE_UNAVAILABLE" }));
  });
});
