import type pg from "pg";
import { openPool } from "./postgres-pool.ts";

// The job queue of the installation: Graphile Worker's tables, in a schema of their own beside the installation's, so
// that Prisma sees nothing it does not know and several installations share one database.

/** The only kind of job: bring the run of the payload to a worker. */
export const runTask = "run";

/** The newest migration of the Graphile Worker that this program uses. */
export const graphileVersion = 19;

export const dispatchSchemaOf = (schema: string): string =>
  schema === "public" ? "graphile_worker" : `${schema}_graphile_worker`;

/**
 * A call that dispatches the run whose id is the SQL expression `id`, in the transaction that it is a part of. One job
 * per run: a second dispatch of a run that waits changes nothing; one of a run whose job has begun is a job of its own,
 * as the first one may have looked too early.
 */
export const dispatchCall = (dispatchSchema: string, id: string): string =>
  `"${dispatchSchema}".add_job('${runTask}', json_build_object('runId', ${id}), job_key => 'run:' || ${id}, flags => ARRAY['${runTask}'])`;

/** Dispatches the runs whose ids are the rows of parameter `$n`. */
export const enqueueRows =
  (dispatchSchema: string) =>
  (n: number): string =>
    `SELECT ${dispatchCall(dispatchSchema, "v.id")} FROM jsonb_to_recordset($${n}::jsonb) AS v(id text)`;

/** `name` is the schema's in the catalogue. Null when there is no queue yet. */
export async function graphileVersionOf(client: pg.ClientBase, dispatchSchema: string): Promise<number | null> {
  const { rows } = await client.query("SELECT to_regclass($1) AS books", [`"${dispatchSchema}".migrations`]);
  if (rows[0]?.books === null) return null;
  const newest = await client.query<{ id: number | null }>(`SELECT max(id) AS id FROM "${dispatchSchema}".migrations`);
  return newest.rows[0]?.id ?? null;
}

/** Makes or updates the queue's tables. The caller sees to it that nobody else does so at the same time. */
export async function migrateGraphile(config: pg.PoolConfig, dispatchSchema: string): Promise<void> {
  const { Logger, runMigrations } = await import("graphile-worker");
  const pool = openPool({ ...config, max: 1 }, () => undefined);
  try {
    await runMigrations({ pgPool: pool, schema: dispatchSchema, logger: new Logger(() => () => undefined) });
  } finally {
    await pool.end();
  }
}
