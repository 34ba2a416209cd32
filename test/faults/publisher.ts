// A process that publishes one version and is killed on the way: run by killed-publications.test.ts.
import { objectKeys } from "@wheelhouse/artifacts";
import { patternOf, streamOf } from "@wheelhouse/artifacts/contract";
import { openS3Store } from "@wheelhouse/artifacts/s3";
import { openDirectoryStore } from "@wheelhouse/artifacts/stores";
import { putArtifact } from "@wheelhouse/runtime";
import { openStorage } from "@wheelhouse/storage/prisma";
import { v7 as newId } from "uuid";
import { z } from "zod";
import { authorityOf } from "../worlds/open-world.ts";

const S3 = z.object({
  bucket: z.string(),
  prefix: z.string(),
  region: z.string(),
  endpoint: z.string(),
  credentials: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }),
});
export const Wish = z.object({
  url: z.string(),
  projectId: z.string(),
  at: z.enum(["sending", "written", "verified", "published"]),
  bytes: z.number(),
  store: z.union([z.object({ folder: z.string() }), S3]),
});

const die = (): never => {
  process.kill(process.pid, "SIGKILL");
  throw new Error("unreachable");
};

async function main(): Promise<void> {
  const wish = Wish.parse(JSON.parse(process.argv[2] ?? ""));
  const clock = { now: () => new Date() };
  const { storage } = await openStorage({ url: wish.url, clock, newId, onError: console.error });
  const store = "folder" in wish.store ? await openDirectoryStore(wish.store) : openS3Store(wish.store);
  const bodies: typeof store = {
    ...store,
    async put(body, keyOf, options) {
      const stored = await store.put(body, keyOf, options);
      return wish.at === "written" ? die() : stored;
    },
  };
  const artifacts: typeof storage.artifacts = {
    ...storage.artifacts,
    async publish(authority, input) {
      if (wish.at === "verified") die();
      await storage.artifacts.publish(authority, input);
      return die();
    },
  };
  async function* sending() {
    const data = patternOf(wish.bytes, 2);
    for await (const piece of streamOf(data.subarray(0, (wish.bytes * 3) / 4))) yield piece;
    die();
  }
  const body = wish.at === "sending" ? sending() : streamOf(patternOf(wish.bytes, 2));
  await putArtifact(
    {
      storage: { ...storage, artifacts },
      bodies,
      objectKeys: objectKeys("a secret that only tests know, long enough"),
      artifactLimits: { inlineBytes: 262_144, maxBytes: 5 * 1024 ** 3, quotaBytes: null },
      ...{ clock, newId },
    },
    authorityOf(wish.projectId),
    { path: "/files/report.bin", body },
  );
}

await main();
