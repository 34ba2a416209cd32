import { AgentSource, ConfigKind, configOperations, Scope } from "@wheelhouse/domain";
import { z } from "zod";
import type {
  ConfigChangeRecord,
  ConfigEntityRecord,
  ConfigLabelRecord,
  ConfigRevisionRecord,
} from "../../configuration.ts";
import { flag, int, intOrNull, json, select, text, textOrNull, time, timeOrNull } from "../rows.ts";
import type { Row } from "../sql.ts";

const Definition = z.record(z.string(), z.unknown());
const Operation = z.enum(configOperations);

export const entityColumns = [
  "id",
  "project_id",
  "kind",
  "name",
  "scope",
  "scope_key",
  "definition",
  "revision",
  "digest",
  "source",
  "enabled",
  "pinned_label",
  "created_by",
  "created_at",
  "updated_at",
  "deleted_at",
] as const;
/** From alias `e`. */
export const entitySelect = select("e", entityColumns, "e_");

/** A definition, of whichever time, that `entitySelect` brought. */
export interface StoredEntity extends ConfigEntityRecord {
  deletedAt: Date | null;
}

export const entityOf = (row: Row): StoredEntity => ({
  id: text(row, "e_id"),
  projectId: text(row, "e_project_id"),
  kind: ConfigKind.parse(row.e_kind),
  name: text(row, "e_name"),
  scope: Scope.parse(json(row, "e_scope")),
  scopeKey: text(row, "e_scope_key"),
  definition: Definition.parse(json(row, "e_definition")),
  revision: int(row, "e_revision"),
  digest: text(row, "e_digest"),
  source: AgentSource.parse(row.e_source),
  enabled: flag(row, "e_enabled"),
  pinnedLabel: textOrNull(row, "e_pinned_label"),
  createdBy: textOrNull(row, "e_created_by"),
  createdAt: time(row, "e_created_at"),
  updatedAt: time(row, "e_updated_at"),
  deletedAt: timeOrNull(row, "e_deleted_at"),
});

/** As it is handed out: what is deleted is not. */
export function liveOf({ deletedAt, ...entity }: StoredEntity): ConfigEntityRecord | null {
  return deletedAt === null ? entity : null;
}

/** The revision that a pinned definition applies in, beside `entitySelect`; from `appliedJoin`. */
export const appliedSelect = `${entitySelect}, v.revision AS v_revision, v.definition AS v_definition, v.digest AS v_digest`;
export const appliedJoin = `LEFT JOIN config_labels l ON l.entity_id = e.id AND l.label = e.pinned_label
  LEFT JOIN config_revisions v ON v.entity_id = e.id AND v.revision = l.revision`;

/** A definition with the revision that applies. */
export function appliedOf(row: Row): ConfigEntityRecord {
  const { deletedAt: _, ...entity } = entityOf(row);
  if (row.v_revision === null || row.v_revision === undefined) return entity;
  return {
    ...entity,
    revision: int(row, "v_revision"),
    definition: Definition.parse(json(row, "v_definition")),
    digest: text(row, "v_digest"),
  };
}

const revisionColumns = [
  "id",
  "entity_id",
  "revision",
  "definition",
  "digest",
  "enabled",
  "reason",
  "author",
  "created_at",
] as const;
export const revisionSelect = select("r", revisionColumns, "r_");

export const revisionOf = (row: Row): ConfigRevisionRecord => ({
  id: text(row, "r_id"),
  entityId: text(row, "r_entity_id"),
  revision: int(row, "r_revision"),
  definition: Definition.parse(json(row, "r_definition")),
  digest: text(row, "r_digest"),
  enabled: flag(row, "r_enabled"),
  reason: textOrNull(row, "r_reason"),
  author: textOrNull(row, "r_author"),
  createdAt: time(row, "r_created_at"),
});

export const labelOf = (row: Row): ConfigLabelRecord => ({
  label: text(row, "label"),
  revision: int(row, "revision"),
  updatedAt: time(row, "updated_at"),
});

const changeColumns = ["id", "position", "kind", "name", "scope", "operation", "revision", "at"] as const;
export const changeSelect = select("c", changeColumns, "c_");

export const changeOf = (row: Row): ConfigChangeRecord => ({
  id: text(row, "c_id"),
  position: int(row, "c_position"),
  kind: ConfigKind.parse(row.c_kind),
  name: text(row, "c_name"),
  scope: Scope.parse(json(row, "c_scope")),
  operation: Operation.parse(row.c_operation),
  revision: intOrNull(row, "c_revision"),
  at: time(row, "c_at"),
});
