import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BodyStore, collect, type ObjectKeys, objectKeys } from "@wheelhouse/artifacts";
import { patternOf, streamOf } from "@wheelhouse/artifacts/contract";
import { openS3Store } from "@wheelhouse/artifacts/s3";
import { openDirectoryStore } from "@wheelhouse/artifacts/stores";
import { putArtifact, readArtifact } from "@wheelhouse/runtime";
import { manifest } from "@wheelhouse/storage/contract";
import { applyMigrations, type OpenStorage, openStorage } from "@wheelhouse/storage/prisma";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshBucket, freshBucket } from "../worlds/fresh-bucket.ts";
import { authorityOf } from "../worlds/open-world.ts";
import { makeDatabase, type TestDatabase } from "./databases.ts";
import { commandArguments, environmentOf, runCommand } from "./server-process.ts";

const count = 1_000;
/** A deadline for what hangs: a thousand bodies, and a process of the whole product for every command. */
const deadlineMs = 600_000;
const secret = "a secret for the keys of bodies that only tests know";
const clock = { now: () => new Date() };
const bytesOf = (i: number) => patternOf(100 + i, i + 1);
const pathOf = (i: number) => `/files/${i}.bin`;

describe("wheelhouse artifacts", () => {
  let database: TestDatabase;
  let opened: OpenStorage;
  let directory: BodyStore;
  let s3: BodyStore;
  let bucket: FreshBucket;
  let environment: Record<string, string>;
  let projectId: string;
  const keys: ObjectKeys = objectKeys(secret);
  const authority = () => authorityOf(projectId, { scope: { project: "default" } });
  const deps = (bodies: BodyStore) => ({
    ...{ storage: opened.storage, bodies, objectKeys: keys, clock, newId },
    artifactLimits: { inlineBytes: 262_144, maxBytes: 5 * 1024 ** 3, quotaBytes: null },
  });

  beforeAll(async () => {
    database = await makeDatabase("sqlite");
    await applyMigrations({ url: database.url });
    opened = await openStorage({ url: database.url, clock, newId, onError: () => undefined });
    const project = await opened.storage.access.ensureProject({ slug: "default", name: "Default", at: clock.now() });
    projectId = project.id;
    bucket = await freshBucket();
    const { options } = bucket;
    directory = await openDirectoryStore({ folder: join(database.folder, "artifacts") });
    s3 = openS3Store(options);
    environment = {
      WHEELHOUSE_OBJECT_KEY_SECRET: secret,
      S3_ENDPOINT: options.endpoint,
      S3_REGION: options.region,
      S3_BUCKET: `${options.bucket}/${options.prefix}`,
      S3_ACCESS_KEY_ID: options.credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: options.credentials.secretAccessKey,
    };
    for (let i = 0; i < count; i += 20)
      await Promise.all(
        Array.from({ length: Math.min(20, count - i) }, (_, k) =>
          putArtifact(deps(directory), authority(), { path: pathOf(i + k), body: streamOf(bytesOf(i + k)) }),
        ),
      );
  }, deadlineMs);
  afterAll(async () => {
    await s3?.[Symbol.asyncDispose]();
    await bucket?.[Symbol.asyncDispose]();
    await opened?.storage[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
  });

  const run = (...args: string[]) => runCommand(database, ["artifacts", ...args], "", environment);
  const storedIn = (bodyStore: string) => opened.models.artifactVersion.count({ where: { bodyStore } });

  /** Kills a migration once it says that it has moved so many. */
  async function killedAt(moved: number): Promise<void> {
    const args = commandArguments(["artifacts", "migrate", "--from", "directory", "--to", "s3"]);
    const child: ChildProcess = spawn(process.execPath, args, { env: { ...environmentOf(database), ...environment } });
    let said = "";
    child.stderr?.on("data", (chunk) => {
      said += chunk;
      const last = Number(/(\d+) moved\n$/.exec(said)?.[1] ?? 0);
      if (last >= moved) child.kill("SIGKILL");
    });
    const [, signal] = await once(child, "exit");
    expect([signal, said]).toEqual(["SIGKILL", expect.stringContaining(" moved\n")]);
  }

  it(
    "moves 1,000 bodies to S3 though it is killed twice, and they are what they were",
    async () => {
      const dry = JSON.parse((await run("migrate", "--from", "directory", "--to", "s3", "--dry-run", "--json")).out);
      expect(dry).toMatchObject({ dryRun: true, copied: count, switched: 0, problems: [] });
      await killedAt(100);
      const first = await storedIn("s3");
      await killedAt(200);
      const second = await storedIn("s3");
      expect(first).toBeGreaterThanOrEqual(100);
      expect(second).toBeGreaterThan(first);
      expect(second).toBeLessThan(count);
      const { code, out } = await run("migrate", "--from", "directory", "--to", "s3", "--json");
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({ switched: count - second, problems: [] });
      expect([await storedIn("directory"), await storedIn("s3")]).toEqual([0, count]);
      const verified = await run("verify", "--store", "s3", "--json");
      expect([verified.code, JSON.parse(verified.out)]).toMatchObject([0, { looked: count, problems: [] }]);
      for (const i of [0, 499, 999]) {
        const { body } = await readArtifact(deps(s3), authority(), { path: pathOf(i) });
        expect([...(await collect(await body()))]).toEqual([...bytesOf(i)]);
      }
    },
    deadlineMs,
  );

  it(
    "deletes what nobody names any more, the second time it is asked",
    async () => {
      expect(await directory.list({ after: null, limit: 2_000 })).toHaveLength(count);
      const sweep = async () =>
        JSON.parse((await run("gc", "--store", "directory", "--older-than-hours", "0", "--json")).out);
      expect(await sweep()).toMatchObject({ looked: count, marked: count });
      await sweep();
      expect(await directory.list({ after: null, limit: 10 })).toEqual([]);
      const verified = await run("verify", "--store", "s3", "--every", "100", "--json");
      expect(JSON.parse(verified.out)).toMatchObject({ looked: 10, problems: [] });
    },
    deadlineMs,
  );

  it(
    "says which bodies are not what was written, and moves none of them",
    async () => {
      const [good, bad, lost] = await Promise.all(
        ["good", "bad", "lost"].map((name) =>
          putArtifact(deps(directory), authority(), { path: `/artifacts/${name}.txt`, text: name }),
        ),
      );
      const fileOf = async (artifact: typeof good) => {
        const found = await readArtifact(deps(directory), authority(), { id: artifact?.artifact.id });
        return join(database.folder, "artifacts", found.version.objectKey ?? "");
      };
      await writeFile(await fileOf(bad), "bed");
      await rm(await fileOf(lost));
      const problems = expect.arrayContaining([
        expect.objectContaining({ path: "/artifacts/bad.txt", version: 1, problem: "BODY_CORRUPT" }),
        expect.objectContaining({ path: "/artifacts/lost.txt", version: 1, problem: "BODY_MISSING" }),
      ]);
      const verified = await run("verify", "--store", "directory", "--json");
      expect([verified.code, JSON.parse(verified.out)]).toMatchObject([1, { looked: 3 }]);
      expect(JSON.parse(verified.out).problems).toEqual(problems);
      const migrated = await run("migrate", "--from", "directory", "--to", "s3", "--json");
      expect([migrated.code, JSON.parse(migrated.out)]).toMatchObject([1, { switched: 1 }]);
      expect(JSON.parse(migrated.out).problems).toEqual(problems);
      expect([await storedIn("directory"), await storedIn("s3")]).toEqual([2, count + 1]);
    },
    deadlineMs,
  );

  it(
    "refuses to move while runs are active, between a store and itself, and to nowhere",
    async () => {
      expect(await run("migrate", "--from", "s3", "--to", "s3")).toMatchObject({ code: 2 });
      const bare = await runCommand(database, ["artifacts", "migrate", "--from", "directory", "--to", "s3"]);
      expect(bare).toMatchObject({ code: 2, err: expect.stringContaining("S3_BUCKET") });
      const wrong = { ...environment, S3_BUCKET: "nobody-made-this-bucket" };
      const nowhere = await runCommand(
        database,
        ["artifacts", "migrate", "--from", "directory", "--to", "s3"],
        "",
        wrong,
      );
      expect(nowhere.code).toBe(1);
      expect(nowhere.err).toContain("NoSuchBucket");
      await submitWork();
      expect(await run("migrate", "--from", "directory", "--to", "s3")).toMatchObject({
        ...{ code: 1, err: expect.stringContaining("1 runs are active") },
      });
    },
    deadlineMs,
  );

  async function submitWork(): Promise<void> {
    const at = clock.now();
    await opened.storage.agents.register(projectId, {
      ...{ name: "guide", displayName: "Guide", description: null, source: "CODE", at },
      ...{ inputSchema: null, outputSchema: null, graph: null },
    });
    const create = { id: newId(), threadId: newId(), title: null, metadata: {} };
    const task = { id: newId(), input: {}, idempotencyKey: null, requestFingerprint: "f", metadata: {} };
    const outcome = await opened.storage.tasks.submit(authority(), {
      ...{ session: { by: "new", create }, agentName: "guide", task, message: null, traceId: null, at },
      run: { id: newId(), manifest, manifestDigest: "0".repeat(64), busyPolicy: "REJECT" },
    });
    expect(outcome.outcome).toBe("submitted");
  }
});
