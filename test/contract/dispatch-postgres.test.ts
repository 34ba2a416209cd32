import { runMigrations } from "graphile-worker";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  claimInput,
  endEverything,
  expireLeases,
  registerGuide,
  submit,
  succeed,
} from "../../packages/storage/src/contract/sample-work.ts";
import {
  dispatchSchemaOf,
  graphileVersion,
  graphileVersionOf,
} from "../../packages/storage/src/prisma/graphile-schema.ts";
import { queueState } from "../../packages/storage/src/prisma/index.ts";
import { freshDatabase } from "../worlds/fresh-database.ts";
import { openWorld, type World } from "../worlds/open-world.ts";

/** What only PostgreSQL has: jobs that a process leaves behind. */
describe("the job queue in PostgreSQL", () => {
  let world: World;
  let client: pg.Client;
  beforeAll(async () => {
    world = await openWorld("postgres");
    await registerGuide(world, world.projectId);
    client = new pg.Client({ connectionString: world.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await world[Symbol.asyncDispose]();
  });

  const sql = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows;
  const keys = async () =>
    (await sql("SELECT key FROM graphile_worker.jobs WHERE key IS NOT NULL")).map(({ key }) => key);
  const empty = () => sql("DELETE FROM graphile_worker._private_jobs");
  const repair = (staleMs: number) => world.storage.dispatch.repair({ staleMs });

  it("gets a run's job in the transaction that makes the run runnable, and one job per run", async () => {
    await endEverything(world);
    await empty();
    const { run, session } = await submit(world);
    const by = { by: "id", id: session.id } as const;
    const behind = await submit(world, { session: by, policy: "ENQUEUE" });
    expect(await keys()).toEqual([`run:${run.id}`]);
    const [claimed] = await world.storage.runs.claim(claimInput(world));
    if (claimed === undefined) throw new Error("The run could not be claimed");
    await world.storage.runs.release(claimed.fence);
    await expireLeases(world);
    await Promise.all([world.storage.dispatch.recoverExpired(), world.storage.dispatch.recoverExpired()]);
    expect(await keys()).toEqual([`run:${run.id}`]);
    const [again] = await world.storage.runs.claim(claimInput(world));
    if (again !== undefined) await succeed(world, again.fence);
    expect((await keys()).sort()).toEqual([`run:${run.id}`, `run:${behind.run.id}`].sort());
    // Replaced by newer work.
    const newer = await submit(world, { session: by, policy: "INTERRUPT" });
    expect(await keys()).toContain(`run:${newer.run.id}`);
  });

  it("has none of a transaction that was rolled back", async () => {
    await endEverything(world);
    await empty();
    const { session } = await submit(world);
    await empty();
    // The session's id is taken: the whole submission fails, and with it the job.
    const create = { id: session.id, threadId: world.newId(), title: null, metadata: {} };
    await expect(submit(world, { session: { by: "new", create } })).rejects.toThrow(/unique/);
    expect(await keys()).toEqual([]);
  });

  it("takes jobs from a dead worker after a lease, not after hours", async () => {
    await endEverything(world);
    await empty();
    const { run } = await submit(world);
    await sql(
      "UPDATE graphile_worker._private_jobs SET locked_by = 'pool-dead', locked_at = now() - interval '31 seconds', attempts = 1",
    );
    const lockedBy = async () => (await sql("SELECT locked_by FROM graphile_worker.jobs")).map((row) => row.locked_by);
    expect(await repair(60_000)).toMatchObject({ unlocked: 0 });
    expect(await lockedBy()).toEqual(["pool-dead"]);
    // Two reapers at once.
    const repaired = await Promise.all([repair(30_000), repair(30_000)]);
    expect(repaired.some(({ unlocked }) => unlocked === 1)).toBe(true);
    expect(await lockedBy()).toEqual([null]);
    expect(await keys()).toEqual([`run:${run.id}`]);
  });

  it("gets a new job for a run whose job is lost, or was tried too often", async () => {
    await endEverything(world);
    await empty();
    const { run } = await submit(world);
    expect(await repair(0)).toMatchObject({ dispatched: 0 });
    await sql("UPDATE graphile_worker._private_jobs SET attempts = max_attempts");
    expect((await Promise.all([repair(0), repair(0)])).some(({ dispatched }) => dispatched === 1)).toBe(true);
    expect(await sql("SELECT key, attempts FROM graphile_worker.jobs")).toEqual([
      { key: `run:${run.id}`, attempts: 0 },
    ]);
    await empty();
    expect(await repair(0)).toMatchObject({ dispatched: 1 });
    expect(await keys()).toEqual([`run:${run.id}`]);
  });

  it("lives in a schema of its own, at the version that this program uses", async () => {
    expect([dispatchSchemaOf("public"), dispatchSchemaOf("second")]).toEqual([
      "graphile_worker",
      "second_graphile_worker",
    ]);
    expect(await queueState({ url: world.url })).toBeNull();
    expect(await queueState({ url: world.url, schema: "second" })).toBe("missing");
    await sql("DELETE FROM graphile_worker.migrations WHERE id = $1", [graphileVersion]);
    expect(await queueState({ url: world.url })).toBe("behind");
    await sql("INSERT INTO graphile_worker.migrations (id) VALUES ($1)", [graphileVersion]);
    await using fresh = await freshDatabase("postgres");
    await runMigrations({ connectionString: fresh.url });
    const other = new pg.Client({ connectionString: fresh.url });
    await other.connect();
    expect(await graphileVersionOf(other, "graphile_worker")).toBe(graphileVersion);
    await other.end();
  });
});
