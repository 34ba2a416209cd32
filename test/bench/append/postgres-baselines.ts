import { applyMigrations } from "@wheelhouse/storage/prisma";
import pg from "pg";
import { newId } from "../world.ts";
import { type AppendTarget, checkLogs, phrase } from "./rows.ts";

const poolSize = 20;

/** A table like the product's own log, with all of its indexes, without its foreign keys. */
async function openTable(url: string): Promise<pg.Pool> {
  await applyMigrations({ url });
  const pool = new pg.Pool({ connectionString: url, max: poolSize });
  await pool.query("CREATE TABLE IF NOT EXISTS plain_events (LIKE events INCLUDING ALL)");
  return pool;
}

const columns = "id, project_id, session_id, run_id, type, visibility, payload, at, created_at, sequence";
const valuesOf = (session: string, index: number): unknown[] => {
  const now = new Date();
  return [newId(), "bench", session, session, "message.delta", "END_USER", phrase(index), now, now];
};

async function verify(pool: pg.Pool, acknowledged: number): Promise<void> {
  const { rows } = await pool.query<{ session: string; count: number; first: number; last: number }>(
    `SELECT session_id AS session, count(*)::int AS count, min(sequence) AS first, max(sequence) AS last
     FROM plain_events GROUP BY session_id`,
  );
  checkLogs(rows, acknowledged);
}

/** What the product is measured against: a transaction per event, an advisory lock per session, and MAX + 1. */
export async function advisoryLockTarget(url: string, runs: number): Promise<AppendTarget> {
  const pool = await openTable(url);
  const sessions = Array.from({ length: runs }, () => newId());
  let index = 0;
  return {
    async append(run) {
      const session = sessions[run] ?? "";
      index += 1;
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        await client.query({
          name: "lock",
          text: "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
          values: [session],
        });
        await client.query({
          name: "insert",
          text: `INSERT INTO plain_events (${columns}) SELECT $1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9,
            coalesce(max(sequence), 0) + 1 FROM plain_events WHERE session_id = $3`,
          values: valuesOf(session, index),
        });
        await client.query("COMMIT");
      } finally {
        client.release();
      }
    },
    verify: (acknowledged) => verify(pool, acknowledged),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

/** The least that a durable append costs: one INSERT, the sequence counted in memory. */
export async function plainInsertTarget(url: string, runs: number): Promise<AppendTarget> {
  const pool = await openTable(url);
  const logs = Array.from({ length: runs }, () => ({ session: newId(), last: 0 }));
  return {
    async append(run) {
      const log = logs[run];
      if (!log) throw new Error(`There is no run ${run}`);
      log.last += 1;
      await pool.query({
        name: "plain",
        text: `INSERT INTO plain_events (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9, $10)`,
        values: [...valuesOf(log.session, log.last), log.last],
      });
    },
    verify: (acknowledged) => verify(pool, acknowledged),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

/** How fast the server takes the same rows from a file, rows per second; null where it cannot read or write one. */
export async function copyRate(url: string, rows: number): Promise<number | null> {
  const pool = await openTable(url);
  const file = `/tmp/wheelhouse-bench-${newId()}`;
  try {
    await pool.query(
      `COPY (SELECT '${newId()}-' || n AS id, 'bench' AS project_id, 'session-' || n % 500 AS session_id, 'run' AS run_id,
        'message.delta' AS type, 'END_USER' AS visibility, '${JSON.stringify(phrase(1))}'::jsonb AS payload,
        now()::timestamp AS at, now()::timestamp AS created_at, n / 500 + 1 AS sequence FROM generate_series(0, ${rows - 1}) n) TO '${file}'`,
    );
    const startedAt = performance.now();
    await pool.query(`COPY plain_events (${columns}) FROM '${file}'`);
    return rows / ((performance.now() - startedAt) / 1000);
  } catch {
    return null;
  } finally {
    // The file is the server's; emptying it is all that a client can do.
    await pool.query(`COPY (SELECT WHERE false) TO '${file}'`).catch(() => undefined);
    await pool.end();
  }
}
