import { type Authority, canonicalJson } from "@wheelhouse/domain";
import type { ArtifactRecord, NewArtifactVersion, PublishOutcome } from "../../artifacts.ts";
import { int, sessionSelect, textOrNull } from "../rows.ts";
import type { Row, Tx } from "../sql.ts";
import type { Values } from "../write-set.ts";
import { artifactOf, artifactSelect } from "./artifact-rows.ts";
import type { StoreContext } from "./context.ts";
import { fenceText } from "./record-batch.ts";
import { SessionDraft } from "./session-draft.ts";
import { Params, visibleSession } from "./visible-rows.ts";

interface Published {
  outcome: PublishOutcome;
  draft: SessionDraft | null;
}

const only = (outcome: PublishOutcome): Published => ({ outcome, draft: null });

/** One transaction: the session is locked first, then the artifact, then the project's count of bytes. */
export async function publishArtifact(
  context: StoreContext,
  tx: Tx,
  authority: Authority,
  input: NewArtifactVersion,
): Promise<Published> {
  const session = await lockSession(context, tx, authority, input);
  if (session === "sessionNotFound" || session === "fenced") return only({ outcome: session });
  const found = await lockArtifact(context, tx, authority, input.path);
  if (found !== null && !authority.visibilities.includes(found.visibility)) return only({ outcome: "notFound" });
  const latest = found?.latestVersion ?? 0;
  if (input.expectedVersion !== null && input.expectedVersion !== latest)
    return only({ outcome: "conflict", current: found });
  const basis = { artifactId: found?.id ?? input.basis.artifactId, version: latest + 1 };
  if (basis.artifactId !== input.basis.artifactId || basis.version !== input.basis.version)
    return only({ outcome: "moved", basis });
  if (await isCondemned(context, tx, input.version)) return only({ outcome: "bodyCondemned" });
  const usedBytes = await spend(tx, authority.projectId, input);
  if (usedBytes !== null) return only({ outcome: "quotaExceeded", usedBytes });
  const artifact = await writeArtifact(tx, authority, input, found);
  const draft = session === null ? null : tell(context, session, artifact, input);
  if (draft !== null) tx.write(draft.writes());
  return { outcome: { outcome: "published", artifact, version: latest + 1 }, draft };
}

async function lockSession(
  { dialect }: StoreContext,
  tx: Tx,
  authority: Authority,
  { sessionId, fence }: NewArtifactVersion,
): Promise<Row | null | "sessionNotFound" | "fenced"> {
  if (sessionId === null) return null;
  const params = new Params();
  const visible = visibleSession(dialect, { ...authority, reach: "EXACT" }, params);
  const [row] = await tx.query(
    `SELECT ${sessionSelect} FROM sessions s JOIN agents a ON a.id = s.agent_id
     WHERE ${visible} AND s.id = ${params.add(sessionId)} ${dialect.lock("s")}`,
    params.values,
  );
  if (row === undefined) return "sessionNotFound";
  return fence !== null && textOrNull(row, "s_fence") !== fenceText(fence) ? "fenced" : row;
}

async function lockArtifact(
  { dialect }: StoreContext,
  tx: Tx,
  authority: Authority,
  path: string,
): Promise<ArtifactRecord | null> {
  const params = new Params();
  const mine = visibleSession(dialect, { ...authority, reach: "EXACT" }, params, "a");
  const [row] = await tx.query(
    `SELECT ${artifactSelect} FROM artifacts a WHERE ${mine} AND a.path = ${params.add(path)} ${dialect.lock("a")}`,
    params.values,
  );
  return row === undefined ? null : artifactOf(row);
}

/** A body that is named by a manifest is no orphan; one that the sweep is about to delete cannot be named any more. */
async function isCondemned(
  { dialect }: StoreContext,
  tx: Tx,
  { objectKey, bodyStore }: NewArtifactVersion["version"],
): Promise<boolean> {
  if (objectKey === null) return false;
  const [mark] = await tx.query(
    `SELECT m.condemned_at FROM artifact_body_marks m
     WHERE m.object_key = $1 AND m.body_store = $2 ${dialect.lock("m")}`,
    [objectKey, bodyStore],
  );
  if (mark === undefined) return false;
  if (textOrNull(mark, "condemned_at") !== null) return true;
  await tx.query("DELETE FROM artifact_body_marks WHERE object_key = $1", [objectKey]);
  return false;
}

/** Counts the bytes; answers how many the project has when they are too many. */
async function spend(tx: Tx, projectId: string, { version, quotaBytes }: NewArtifactVersion): Promise<number | null> {
  const limit = quotaBytes === null ? "" : "AND artifact_bytes + $1 <= $3";
  const spent = await tx.query(
    `UPDATE projects SET artifact_bytes = artifact_bytes + $1 WHERE id = $2 ${limit} RETURNING id`,
    [version.bytes, projectId, ...(quotaBytes === null ? [] : [quotaBytes])],
  );
  if (spent.length > 0) return null;
  const [row] = await tx.query("SELECT artifact_bytes FROM projects WHERE id = $1", [projectId]);
  return row === undefined ? 0 : int(row, "artifact_bytes");
}

async function writeArtifact(
  tx: Tx,
  authority: Authority,
  input: NewArtifactVersion,
  found: ArtifactRecord | null,
): Promise<ArtifactRecord> {
  const { at, sessionId, taskId, runId, source } = input;
  const latestVersion = (found?.latestVersion ?? 0) + 1;
  const artifact: ArtifactRecord =
    found === null
      ? {
          id: input.basis.artifactId,
          projectId: authority.projectId,
          scope: authority.scope,
          scopeKey: authority.scopeKey,
          ...{ path: input.path, kind: input.kind, name: input.name, visibility: input.visibility },
          ...{ latestVersion, source, sessionId, taskId, runId, createdAt: at, updatedAt: at },
        }
      : {
          ...found,
          ...{ latestVersion, source, runId, updatedAt: at },
          sessionId: sessionId ?? found.sessionId,
          taskId: taskId ?? found.taskId,
        };
  const changing = {
    id: artifact.id,
    latest_version: latestVersion,
    source,
    session_id: artifact.sessionId,
    task_id: artifact.taskId,
    run_id: runId,
    updated_at: at,
  };
  const { project_id, scope_key } = { project_id: artifact.projectId, scope_key: artifact.scopeKey };
  const { path, kind, name, visibility } = artifact;
  // Keys sorted, as the wall compares the text on SQLite.
  const scope: unknown = JSON.parse(canonicalJson(artifact.scope));
  tx.write([
    found === null
      ? {
          op: "insert",
          table: "artifacts",
          rows: [{ ...changing, project_id, scope, scope_key, path, kind, name, visibility, created_at: at }],
        }
      : { op: "update", table: "artifacts", rows: [changing] },
    { op: "insert", table: "artifact_versions", rows: [versionValues(artifact.id, input, latestVersion)] },
  ]);
  const { id, inlineBody } = input.version;
  // Bytes do not go through JSON.
  if (inlineBody !== null)
    await tx.query("UPDATE artifact_versions SET inline_body = $1 WHERE id = $2", [inlineBody, id]);
  return artifact;
}

function versionValues(artifactId: string, input: NewArtifactVersion, version: number): Values {
  const { version: given, runId, checkpointId, at } = input;
  return {
    id: given.id,
    artifact_id: artifactId,
    version,
    content_type: given.contentType,
    bytes: given.bytes,
    checksum: given.checksum,
    body_store: given.bodyStore,
    object_key: given.objectKey,
    parent_version: version === 1 ? null : version - 1,
    run_id: runId,
    checkpoint_id: checkpointId,
    created_by: given.createdBy,
    created_at: at,
  };
}

function tell(context: StoreContext, session: Row, artifact: ArtifactRecord, input: NewArtifactVersion): SessionDraft {
  const draft = new SessionDraft(session, { at: input.at, newId: context.newId });
  const { contentType, bytes, checksum } = input.version;
  draft.append({
    type: "artifact.published",
    visibility: artifact.visibility,
    // A run's end is its last word: only who still holds it speaks for it.
    runId: input.fence?.runId ?? null,
    taskId: input.fence === null ? null : input.taskId,
    payload: {
      artifactId: artifact.id,
      path: artifact.path,
      version: artifact.latestVersion,
      contentType,
      bytes,
      checksum,
    },
  });
  draft.set({ last_activity_at: input.at });
  return draft;
}
