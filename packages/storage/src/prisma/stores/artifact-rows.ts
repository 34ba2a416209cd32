import { ArtifactKind, type Authority, bodyStores, EventVisibility, Scope } from "@wheelhouse/domain";
import { z } from "zod";
import type {
  ArtifactRecord,
  ArtifactVersionRecord,
  ListedArtifact,
  NamedBody,
  WhichArtifact,
} from "../../artifacts.ts";
import { int, intOrNull, json, select, text, textOrNull, time } from "../rows.ts";
import type { Dialect, Row } from "../sql.ts";
import { type Params, visibleSession } from "./visible-rows.ts";

const BodyStoreName = z.enum(bodyStores);

const artifactColumns = [
  "id",
  "project_id",
  "scope",
  "scope_key",
  "path",
  "kind",
  "name",
  "latest_version",
  "visibility",
  "source",
  "session_id",
  "task_id",
  "run_id",
  "created_at",
  "updated_at",
] as const;
export const artifactSelect = select("a", artifactColumns, "a_");

const versionColumns = [
  "id",
  "artifact_id",
  "version",
  "content_type",
  "bytes",
  "checksum",
  "body_store",
  "object_key",
  "parent_version",
  "run_id",
  "created_by",
  "created_at",
] as const;
export const versionSelect = select("v", versionColumns, "v_");

export const artifactOf = (row: Row): ArtifactRecord => ({
  id: text(row, "a_id"),
  projectId: text(row, "a_project_id"),
  scope: Scope.parse(json(row, "a_scope")),
  scopeKey: text(row, "a_scope_key"),
  path: text(row, "a_path"),
  kind: ArtifactKind.parse(row.a_kind),
  name: text(row, "a_name"),
  latestVersion: int(row, "a_latest_version"),
  visibility: EventVisibility.parse(row.a_visibility),
  source: text(row, "a_source"),
  sessionId: textOrNull(row, "a_session_id"),
  taskId: textOrNull(row, "a_task_id"),
  runId: textOrNull(row, "a_run_id"),
  createdAt: time(row, "a_created_at"),
  updatedAt: time(row, "a_updated_at"),
});

export const versionOf = (row: Row): ListedArtifact["version"] => ({
  id: text(row, "v_id"),
  artifactId: text(row, "v_artifact_id"),
  version: int(row, "v_version"),
  contentType: text(row, "v_content_type"),
  bytes: int(row, "v_bytes"),
  checksum: text(row, "v_checksum"),
  bodyStore: BodyStoreName.parse(row.v_body_store),
  objectKey: textOrNull(row, "v_object_key"),
  parentVersion: intOrNull(row, "v_parent_version"),
  runId: textOrNull(row, "v_run_id"),
  createdBy: textOrNull(row, "v_created_by"),
  createdAt: time(row, "v_created_at"),
});

export const fullVersionOf = (row: Row): ArtifactVersionRecord => ({
  ...versionOf(row),
  inlineBody: bytesOrNull(row, "v_inline_body"),
});

export function bytesOrNull(row: Row, column: string): Uint8Array | null {
  const value = row[column];
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`Column ${column} is not bytes`);
}

export const namedBodyOf = (row: Row): NamedBody => {
  const { id: versionId, artifactId, version, bytes, checksum, contentType, bodyStore, objectKey } = versionOf(row);
  return {
    ...{ versionId, artifactId, version, bytes, checksum, contentType, bodyStore, objectKey },
    projectId: text(row, "a_project_id"),
    scopeKey: text(row, "a_scope_key"),
    kind: ArtifactKind.parse(row.a_kind),
    path: text(row, "a_path"),
  };
};

/** The wall around artifacts: that of sessions, and only what is meant for the caller's eyes. */
export function visibleArtifact(dialect: Dialect, authority: Authority, params: Params, alias = "a"): string {
  const scope = visibleSession(dialect, authority, params, alias);
  return `${scope} AND ${dialect.inList(`${alias}.visibility`, addList(params, authority.visibilities))}`;
}

function addList(params: Params, values: readonly string[]): number {
  params.add([...values]);
  return params.values.length;
}

/** A path is unique in a scope: a caller with project reach means the one in its own. */
export function visibleWhich(
  { dialect }: { dialect: Dialect },
  authority: Authority,
  which: WhichArtifact,
  params: Params,
): string {
  return "id" in which
    ? `${visibleArtifact(dialect, authority, params)} AND a.id = ${params.add(which.id)}`
    : `${visibleArtifact(dialect, { ...authority, reach: "EXACT" }, params)} AND a.path = ${params.add(which.path)}`;
}
