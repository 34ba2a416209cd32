import type { Pool, PoolClient } from "pg";
import type { CheckpointKey, CheckpointOutline, CheckpointTables } from "./checkpoint-tables.ts";
import { generationKey, runKey } from "./run-checkpointer.ts";

interface OutlineRow {
  checkpoint_ns: string;
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  metadata: Record<string, unknown>;
}

const columns = "checkpoint_ns, checkpoint_id, parent_checkpoint_id, metadata";

/** The tables of PostgresSaver, where checkpoints share their values: a value is stored once per channel and version. */
export function postgresCheckpointTables(pool: Pool, schema: string): CheckpointTables {
  const table = (name: string) => `"${schema.replaceAll('"', '""')}".${name}`;
  const checkpoints = table("checkpoints");
  const writes = table("checkpoint_writes");
  const blobs = table("checkpoint_blobs");
  const all = async (sql: string, params: unknown[]): Promise<CheckpointOutline[]> =>
    (await pool.query<OutlineRow>(sql, params)).rows.map(outlineOf);
  const firstId = async (sql: string, params: unknown[]): Promise<string | null> =>
    (await pool.query<OutlineRow>(sql, params)).rows[0]?.checkpoint_id ?? null;
  const own = "thread_id = $1 AND checkpoint_ns = ''";
  return {
    page: (threadId, { before, limit }) =>
      all(
        `SELECT ${columns} FROM ${checkpoints} WHERE ${own} AND ($2::text IS NULL OR checkpoint_id < $2)
         ORDER BY checkpoint_id DESC LIMIT $3`,
        [threadId, before, limit],
      ),
    outline: (threadId) =>
      all(`SELECT ${columns} FROM ${checkpoints} WHERE thread_id = $1 ORDER BY checkpoint_id DESC`, [threadId]),
    newest: (threadId) =>
      firstId(`SELECT checkpoint_id FROM ${checkpoints} WHERE ${own} ORDER BY checkpoint_id DESC LIMIT 1`, [threadId]),
    lastOfRun: (threadId, runId) =>
      firstId(
        `SELECT checkpoint_id FROM ${checkpoints} WHERE ${own} AND metadata ->> '${runKey}' = $2
         ORDER BY coalesce((metadata ->> '${generationKey}')::int, 0) DESC, checkpoint_id DESC LIMIT 1`,
        [threadId, runId],
      ),
    copy: (from, to, keys, withWrites) =>
      inTransaction(pool, async (client) => {
        await client.query(
          `INSERT INTO ${checkpoints} (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
           SELECT $2, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata
           FROM ${checkpoints} WHERE thread_id = $1 AND ${isAmong(3)}`,
          [from, to, ...listsOf(keys)],
        );
        await client.query(
          `INSERT INTO ${blobs} (thread_id, checkpoint_ns, channel, version, type, blob)
           SELECT $2, b.checkpoint_ns, b.channel, b.version, b.type, b.blob FROM ${blobs} b
           WHERE b.thread_id = $1 AND ${isReferenced(checkpoints, "$2")}`,
          [from, to],
        );
        await client.query(
          `INSERT INTO ${writes} (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob)
           SELECT $2, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob
           FROM ${writes} WHERE thread_id = $1 AND ${isAmong(3)}`,
          [from, to, ...listsOf(withWrites)],
        );
      }),
    remove: (threadId, keys) =>
      inTransaction(pool, async (client) => {
        for (const each of [checkpoints, writes])
          await client.query(`DELETE FROM ${each} WHERE thread_id = $1 AND ${isAmong(2)}`, [
            threadId,
            ...listsOf(keys),
          ]);
        // A running graph stores a checkpoint and its new values in one transaction: what this statement sees of them, it
        // sees of both; and what an unseen checkpoint takes over is referred to by its parent, which is kept.
        await client.query(
          `DELETE FROM ${blobs} b WHERE b.thread_id = $1 AND NOT (${isReferenced(checkpoints, "$1")})`,
          [threadId],
        );
      }),
  };
}

/** Parameters `$n` and `$n+1` are the namespaces and ids of keys. */
const isAmong = (n: number): string =>
  `(checkpoint_ns, checkpoint_id) IN (SELECT * FROM unnest($${n}::text[], $${n + 1}::text[]))`;

const listsOf = (keys: readonly CheckpointKey[]): [string[], string[]] => [
  keys.map(({ namespace }) => namespace),
  keys.map(({ id }) => id),
];

/** A checkpoint of the thread has the value `b`. */
const isReferenced = (checkpoints: string, thread: string): string =>
  `EXISTS (SELECT FROM ${checkpoints} c WHERE c.thread_id = ${thread} AND c.checkpoint_ns = b.checkpoint_ns
     AND c.checkpoint -> 'channel_versions' ->> b.channel = b.version)`;

async function inTransaction(pool: Pool, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await work(client);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

const outlineOf = (row: OutlineRow): CheckpointOutline => ({
  namespace: row.checkpoint_ns,
  id: row.checkpoint_id,
  parentId: row.parent_checkpoint_id,
  metadata: row.metadata,
});
