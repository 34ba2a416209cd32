import type { Database } from "better-sqlite3";
import type { CheckpointOutline, CheckpointTables } from "./checkpoint-tables.ts";
import { generationKey, runKey } from "./run-checkpointer.ts";

interface OutlineRow {
  checkpoint_ns: string;
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  metadata: string;
}

const columns = "checkpoint_ns, checkpoint_id, parent_checkpoint_id, CAST(metadata AS TEXT) AS metadata";
const metadata = (key: string) => `json_extract(CAST(metadata AS TEXT), '$.${key}')`;
/** The keys of parameter `:keys`, JSON. */
const isAmong = (list: string) =>
  `(checkpoint_ns, checkpoint_id) IN (SELECT value ->> 'namespace', value ->> 'id' FROM json_each(:${list}))`;

/** The tables of SqliteSaver, where each checkpoint holds all of its values. */
export function sqliteCheckpointTables(db: Database): CheckpointTables {
  const all = (sql: string, params: Record<string, unknown>): CheckpointOutline[] =>
    db.prepare<[Record<string, unknown>], OutlineRow>(sql).all(params).map(outlineOf);
  const firstId = (sql: string, params: Record<string, unknown>): string | null =>
    db.prepare<[Record<string, unknown>], OutlineRow>(sql).get(params)?.checkpoint_id ?? null;
  const own = "thread_id = :threadId AND checkpoint_ns = ''";
  return {
    page: async (threadId, { before, limit }) =>
      all(
        `SELECT ${columns} FROM checkpoints WHERE ${own} AND (:before IS NULL OR checkpoint_id < :before)
         ORDER BY checkpoint_id DESC LIMIT :limit`,
        { threadId, before, limit },
      ),
    outline: async (threadId) =>
      all(`SELECT ${columns} FROM checkpoints WHERE thread_id = :threadId ORDER BY checkpoint_id DESC`, { threadId }),
    newest: async (threadId) =>
      firstId(`SELECT checkpoint_id FROM checkpoints WHERE ${own} ORDER BY checkpoint_id DESC LIMIT 1`, { threadId }),
    lastOfRun: async (threadId, runId) =>
      firstId(
        `SELECT checkpoint_id FROM checkpoints WHERE ${own} AND ${metadata(runKey)} = :runId
         ORDER BY coalesce(${metadata(generationKey)}, 0) DESC, checkpoint_id DESC LIMIT 1`,
        { threadId, runId },
      ),
    async copy(from, to, keys, withWrites) {
      db.transaction(() => {
        db.prepare(
          `INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
           SELECT :to, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata
           FROM checkpoints WHERE thread_id = :from AND ${isAmong("keys")}`,
        ).run({ from, to, keys: JSON.stringify(keys) });
        db.prepare(
          `INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value)
           SELECT :to, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value
           FROM writes WHERE thread_id = :from AND ${isAmong("keys")}`,
        ).run({ from, to, keys: JSON.stringify(withWrites) });
      })();
    },
    async remove(threadId, keys) {
      const params = { threadId, keys: JSON.stringify(keys) };
      db.transaction(() => {
        for (const table of ["checkpoints", "writes"])
          db.prepare(`DELETE FROM ${table} WHERE thread_id = :threadId AND ${isAmong("keys")}`).run(params);
      })();
    },
  };
}

const outlineOf = (row: OutlineRow): CheckpointOutline => ({
  namespace: row.checkpoint_ns,
  id: row.checkpoint_id,
  parentId: row.parent_checkpoint_id,
  metadata: JSON.parse(row.metadata) as Record<string, unknown>,
});
