import { z } from "zod";
import type { ArtifactStore } from "../../artifacts.ts";
import { json, text } from "../rows.ts";
import type { Tx } from "../sql.ts";
import type { StoreContext } from "./context.ts";

const Receipt = z.record(z.string(), z.unknown());

type BodyMarks = Pick<ArtifactStore, "markUnnamed" | "condemn" | "condemned" | "forgetBodies">;

/** Bodies on their way out: marked when no manifest names them, condemned when that is still so much later. */
export function bodyMarks({ db, dialect }: StoreContext): BodyMarks {
  return {
    async markUnnamed({ bodyStore, keys, at }) {
      if (keys.length === 0) return 0;
      // Of a bare parameter in a SELECT, PostgreSQL does not guess the type.
      const moment = dialect.name === "postgresql" ? "$3::timestamp(3)" : "$3";
      const rows = await db.query(
        `INSERT INTO artifact_body_marks (object_key, body_store, marked_at, created_at)
         SELECT parent.id, $2, ${moment}, ${moment} FROM ${dialect.list(1)}
         WHERE NOT EXISTS (SELECT 1 FROM artifact_versions v WHERE v.object_key = parent.id AND v.body_store = $2)
         ON CONFLICT (object_key) DO NOTHING RETURNING object_key`,
        [[...keys], bodyStore, dialect.time(at)],
      );
      return rows.length;
    },
    condemn: ({ bodyStore, before, limit, at }) =>
      db.transaction(async (tx) => {
        const rows = await tx.query(
          `SELECT m.object_key FROM artifact_body_marks m WHERE m.body_store = $1 AND m.condemned_at IS NULL
             AND m.marked_at < $2 ORDER BY m.marked_at, m.object_key LIMIT $3 ${dialect.lockFree("m")}`,
          [bodyStore, dialect.time(before), limit],
        );
        const keys = rows.map((row) => text(row, "object_key"));
        if (keys.length === 0) return 0;
        const unnamed =
          "NOT EXISTS (SELECT 1 FROM artifact_versions v WHERE v.object_key = artifact_body_marks.object_key AND v.body_store = artifact_body_marks.body_store)";
        const condemned = await tx.query(
          `UPDATE artifact_body_marks SET condemned_at = $1
           WHERE ${dialect.inList("object_key", 2)} AND ${unnamed} RETURNING object_key`,
          [dialect.time(at), keys],
        );
        await tx.query(
          `DELETE FROM artifact_body_marks WHERE ${dialect.inList("object_key", 1)} AND condemned_at IS NULL`,
          [keys],
        );
        return condemned.length;
      }),
    async condemned({ bodyStore, limit }) {
      const rows = await db.query(
        `SELECT object_key FROM artifact_body_marks WHERE body_store = $1 AND condemned_at IS NOT NULL
         ORDER BY condemned_at, object_key LIMIT $2`,
        [bodyStore, limit],
      );
      return rows.map((row) => text(row, "object_key"));
    },
    forgetBodies: ({ keys, at }) =>
      db.transaction(async (tx) => {
        if (keys.length === 0) return;
        const rows = await tx.query(
          `DELETE FROM artifact_body_marks WHERE ${dialect.inList("object_key", 1)} AND condemned_at IS NOT NULL
           RETURNING job_id`,
          [[...keys]],
        );
        const jobs = new Set(rows.flatMap(({ job_id }) => (typeof job_id === "string" ? [job_id] : [])));
        for (const job of [...jobs].sort()) await completeReceipt(tx, job, dialect.lock("j"), at);
      }),
  };
}

/** The last body's deletion completes the receipt. */
async function completeReceipt(tx: Tx, jobId: string, lock: string, at: Date): Promise<void> {
  const [job] = await tx.query(`SELECT j.receipt FROM jobs j WHERE j.id = $1 ${lock}`, [jobId]);
  const [left] = await tx.query("SELECT 1 AS waits FROM artifact_body_marks WHERE job_id = $1 LIMIT 1", [jobId]);
  if (job === undefined || left !== undefined) return;
  const receipt = { ...Receipt.parse(json(job, "receipt")), bodiesDeletedAt: at };
  const rows = [{ id: jobId, status: "SUCCEEDED", receipt, updated_at: at }];
  tx.write([{ op: "update", table: "jobs", rows }]);
}
