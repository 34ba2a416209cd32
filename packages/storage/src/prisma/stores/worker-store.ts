import type { WorkerRecord, WorkerStore } from "../../port.ts";
import { int, text, time } from "../rows.ts";
import type { Row } from "../sql.ts";
import type { StoreContext } from "./context.ts";

export function workerStore({ db }: StoreContext): WorkerStore {
  const { dialect } = db;
  return {
    async beat(worker, { forgetAfterMs }) {
      await db.query(`DELETE FROM worker_leases WHERE beat_at < ${dialect.leaseTime(1)}`, [-forgetAfterMs]);
      await db.query(
        `INSERT INTO worker_leases (id, role, host, version, running, started_at, beat_at, created_at, updated_at)
         VALUES ($2, $3, $4, $5, $6, $7, ${dialect.leaseTime(1)}, $7, ${dialect.leaseTime(1)})
         ON CONFLICT (id) DO UPDATE SET running = excluded.running, beat_at = excluded.beat_at,
           updated_at = excluded.updated_at`,
        [0, worker.id, worker.role, worker.host, worker.version, worker.running, dialect.time(worker.startedAt)],
      );
    },
    async remove(id) {
      await db.query("DELETE FROM worker_leases WHERE id = $1", [id]);
    },
    async live(withinMs) {
      const rows = await db.query(
        `SELECT id, role, host, version, running, started_at, beat_at FROM worker_leases
         WHERE beat_at >= ${dialect.leaseTime(1)} ORDER BY started_at, id`,
        [-withinMs],
      );
      return rows.map(workerOf);
    },
  };
}

const workerOf = (row: Row): WorkerRecord => ({
  id: text(row, "id"),
  role: text(row, "role"),
  host: text(row, "host"),
  version: text(row, "version"),
  running: int(row, "running"),
  startedAt: time(row, "started_at"),
  beatAt: time(row, "beat_at"),
});
