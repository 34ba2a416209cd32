import { applyMigrations } from "@wheelhouse/storage/prisma";
import Sqlite from "better-sqlite3";
import { newId } from "../world.ts";
import { type AppendTarget, checkLogs, phrase } from "./rows.ts";

/** On SQLite the same naive way: a transaction per event, MAX + 1; `synchronous` as the product has it. */
export async function transactionPerEventTarget(
  file: string,
  runs: number,
  synchronous: string,
): Promise<AppendTarget> {
  await applyMigrations({ url: `file:${file}` });
  const database = new Sqlite(file);
  database.pragma("journal_mode = WAL");
  database.pragma(`synchronous = ${synchronous}`);
  database.exec(`CREATE TABLE plain_events (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, session_id TEXT NOT NULL,
    run_id TEXT, type TEXT NOT NULL, visibility TEXT NOT NULL, payload TEXT NOT NULL, at TEXT NOT NULL,
    created_at TEXT NOT NULL, sequence INTEGER NOT NULL, UNIQUE (session_id, sequence))`);
  const insert = database.prepare(
    `INSERT INTO plain_events (id, project_id, session_id, run_id, type, visibility, payload, at, created_at, sequence)
     SELECT ?, 'bench', ?, ?, 'message.delta', 'END_USER', ?, ?, ?, coalesce(max(sequence), 0) + 1
     FROM plain_events WHERE session_id = ?`,
  );
  const sessions = Array.from({ length: runs }, () => newId());
  let index = 0;
  return {
    async append(run) {
      const session = sessions[run] ?? "";
      const now = new Date().toISOString();
      index += 1;
      insert.run(newId(), session, session, JSON.stringify(phrase(index)), now, now, session);
      // As any client of a database would: others get their turn.
      await new Promise((resolve) => setImmediate(resolve));
    },
    async verify(acknowledged) {
      const rows = database
        .prepare<[], { session: string; count: number; first: number; last: number }>(
          `SELECT session_id AS session, count(*) AS count, min(sequence) AS first, max(sequence) AS last
           FROM plain_events GROUP BY session_id`,
        )
        .all();
      checkLogs(rows, acknowledged);
    },
    async [Symbol.asyncDispose]() {
      database.close();
    },
  };
}

/** How carefully the product's own connection writes: the number of SQLite's `synchronous`, by name. */
export const synchronousNames = ["OFF", "NORMAL", "FULL", "EXTRA"] as const;
