import type { ArtifactBodyStore } from "../../artifacts.ts";
import { int, text, time } from "../rows.ts";
import { bytesOrNull } from "./artifact-rows.ts";
import type { StoreContext } from "./context.ts";

export function artifactBodyStore({ db, dialect }: StoreContext): ArtifactBodyStore {
  /** A key ends with its body's checksum: what another wrote there at the same moment is the body that was to be written. */
  async function unlessWritten(write: () => Promise<boolean>): Promise<boolean> {
    try {
      return await write();
    } catch (error) {
      if (dialect.isUniqueViolation(error)) return true;
      throw error;
    }
  }

  return {
    async write({ key, part, body, at }) {
      await db.query(
        "INSERT INTO artifact_bodies (object_key, part, body, bytes, created_at) VALUES ($1, $2, $3, $4, $5)",
        [key, part, body, body.length, dialect.time(at)],
      );
    },
    async rename(from, to) {
      await unlessWritten(async () => {
        await db.transaction(async (tx) => {
          await tx.query("DELETE FROM artifact_bodies WHERE object_key = $1", [to]);
          await tx.query("UPDATE artifact_bodies SET object_key = $1 WHERE object_key = $2", [to, from]);
        });
        return true;
      });
      // Only there when another wrote the key first.
      await db.query("DELETE FROM artifact_bodies WHERE object_key = $1", [from]);
    },
    copy: (from, to) =>
      unlessWritten(() =>
        db.transaction(async (tx) => {
          if (from !== to) await tx.query("DELETE FROM artifact_bodies WHERE object_key = $1", [to]);
          const rows = await tx.query(
            from === to
              ? "SELECT part FROM artifact_bodies WHERE object_key = $1"
              : `INSERT INTO artifact_bodies (object_key, part, body, bytes, created_at)
                 SELECT $2, part, body, bytes, created_at FROM artifact_bodies WHERE object_key = $1 RETURNING part`,
            from === to ? [from] : [from, to],
          );
          return rows.length > 0;
        }),
      ),
    async read(key, part) {
      const [row] = await db.query("SELECT body FROM artifact_bodies WHERE object_key = $1 AND part = $2", [key, part]);
      return row === undefined ? null : bytesOrNull(row, "body");
    },
    async size(key) {
      const [row] = await db.query(
        "SELECT count(*) AS parts, coalesce(sum(bytes), 0) AS bytes FROM artifact_bodies WHERE object_key = $1",
        [key],
      );
      return row === undefined || int(row, "parts") === 0 ? null : int(row, "bytes");
    },
    async delete(keys) {
      if (keys.length > 0)
        await db.query(`DELETE FROM artifact_bodies WHERE ${dialect.inList("object_key", 1)}`, [[...keys]]);
    },
    async deleteOlder({ prefix, before }) {
      const rows = await db.query(
        `DELETE FROM artifact_bodies WHERE substr(object_key, 1, $1) = $2 AND created_at < $3 RETURNING object_key`,
        [prefix.length, prefix, dialect.time(before)],
      );
      return new Set(rows.map((row) => text(row, "object_key"))).size;
    },
    async list({ after, limit, without }) {
      const rows = await db.query(
        `SELECT object_key, sum(bytes) AS bytes, max(created_at) AS modified_at FROM artifact_bodies
         WHERE object_key > $1 AND substr(object_key, 1, $2) <> $3
         GROUP BY object_key ORDER BY object_key LIMIT $4`,
        [after ?? "", without.length, without, limit],
      );
      return rows.map((row) => ({
        key: text(row, "object_key"),
        bytes: int(row, "bytes"),
        modifiedAt: time(row, "modified_at"),
      }));
    },
  };
}
