import type { ArtifactStore } from "../../artifacts.ts";
import { int } from "../rows.ts";
import {
  artifactOf,
  artifactSelect,
  bytesOrNull,
  fullVersionOf,
  namedBodyOf,
  versionOf,
  versionSelect,
  visibleArtifact,
  visibleWhich,
} from "./artifact-rows.ts";
import { bodyMarks } from "./body-marks.ts";
import { type StoreContext, untilRaceIsOver } from "./context.ts";
import { deleteArtifact } from "./delete-artifact.ts";
import { publishArtifact } from "./publish-artifact.ts";
import { Params } from "./visible-rows.ts";

const versions = "FROM artifacts a JOIN artifact_versions v ON v.artifact_id = a.id";

export function artifactStore(context: StoreContext): ArtifactStore {
  const { db, dialect } = context;
  return {
    ...bodyMarks(context),
    async find(authority, which, version = null) {
      const params = new Params();
      const visible = visibleWhich(context, authority, which, params);
      const wanted = version === null ? "a.latest_version" : params.add(version);
      const [row] = await db.query(
        `SELECT ${artifactSelect}, ${versionSelect}, v.inline_body AS v_inline_body ${versions}
         WHERE ${visible} AND v.version = ${wanted}`,
        params.values,
      );
      return row === undefined ? null : { artifact: artifactOf(row), version: fullVersionOf(row) };
    },
    async list(authority, { prefix, after, limit }) {
      const params = new Params();
      const visible = visibleArtifact(dialect, { ...authority, reach: "EXACT" }, params);
      const begins = `substr(a.path, 1, ${params.add(prefix.length)}) = ${params.add(prefix)}`;
      const behind = after === null ? "" : `AND a.path > ${params.add(after)}`;
      const rows = await db.query(
        `SELECT ${artifactSelect}, ${versionSelect} ${versions} AND v.version = a.latest_version
         WHERE ${visible} AND ${begins} ${behind} ORDER BY a.path LIMIT ${params.add(limit)}`,
        params.values,
      );
      return rows.map((row) => ({ artifact: artifactOf(row), version: versionOf(row) }));
    },
    async publish(authority, input) {
      const { outcome, draft } = await untilRaceIsOver(context, () =>
        db.transaction((tx) => publishArtifact(context, tx, authority, input)),
      );
      if (draft !== null) context.wake(draft.hint);
      return outcome;
    },
    async delete(authority, input) {
      const { outcome, draft } = await db.transaction((tx) => deleteArtifact(context, tx, authority, input));
      if (draft !== null) context.wake(draft.hint);
      return outcome;
    },
    async usedBytes({ projectId }) {
      const [row] = await db.query("SELECT artifact_bytes FROM projects WHERE id = $1", [projectId]);
      return row === undefined ? 0 : int(row, "artifact_bytes");
    },
    async namedBodies({ bodyStore, after, limit }) {
      const rows = await db.query(
        `SELECT ${artifactSelect}, ${versionSelect} ${versions}
         WHERE v.body_store = $1 AND v.id > $2 ORDER BY v.id LIMIT $3`,
        [bodyStore, after ?? "", limit],
      );
      return rows.map(namedBodyOf);
    },
    async inlineBody(versionId) {
      const [row] = await db.query("SELECT inline_body FROM artifact_versions WHERE id = $1", [versionId]);
      return row === undefined ? null : bytesOrNull(row, "inline_body");
    },
    async moveBodies(moves) {
      return await db.transaction(async (tx) => {
        let moved = 0;
        for (const { versionId, from, to } of moves) {
          const rows = await tx.query(
            `UPDATE artifact_versions SET body_store = $1, object_key = $2, inline_body = NULL
             WHERE id = $3 AND body_store = $4 AND coalesce(object_key, '') = $5 RETURNING id`,
            [to.bodyStore, to.objectKey, versionId, from.bodyStore, from.objectKey ?? ""],
          );
          moved += rows.length;
          // What is named again is no orphan.
          await tx.query("DELETE FROM artifact_body_marks WHERE object_key = $1 AND body_store = $2", [
            to.objectKey,
            to.bodyStore,
          ]);
        }
        return moved;
      });
    },
    async activeRuns() {
      const [row] = await db.query("SELECT count(*) AS n FROM runs WHERE status IN ('QUEUED', 'RUNNING')");
      return row === undefined ? 0 : int(row, "n");
    },
  };
}
