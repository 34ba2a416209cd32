import { type Authority, type ConfigKind, canonicalJson, Scope, sameScope } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import type {
  ConfigChangeRecord,
  ConfigDraft,
  ConfigEntityRecord,
  ConfigKey,
  ConfigOperation,
  ConfigPut,
  ConfigReference,
  LabelOutcome,
  ShownAgent,
} from "../../configuration.ts";
import { int } from "../rows.ts";
import type { Tx } from "../sql.ts";
import type { WriteOp } from "../write-set.ts";
import { type AuditChain, lockProject, openAuditChain } from "./audit-chain.ts";
import { configReads, reaches, readStored, shapeOf } from "./config-reads.ts";
import { labelOf, liveOf, type StoredEntity } from "./config-rows.ts";
import type { StoreContext } from "./context.ts";

/** The draft of one transaction. The project is locked from here on. */
export async function openDraft(context: StoreContext, tx: Tx, authority: Authority): Promise<Draft> {
  await lockProject(context, tx, authority.projectId);
  const [last] = await tx.query(
    "SELECT coalesce(max(position), 0) AS position FROM config_changes WHERE project_id = $1",
    [authority.projectId],
  );
  const audit = await openAuditChain(context, tx, authority.projectId);
  return new Draft(context, tx, { authority, audit, position: last === undefined ? 0 : int(last, "position") });
}

interface Written {
  before: ConfigEntityRecord | null;
  entity: ConfigEntityRecord;
  operation: ConfigOperation;
  reason: string | null;
  at: Date;
}

class Draft {
  readonly #context: StoreContext;
  readonly #tx: Tx;
  readonly #authority: Authority;
  readonly #audit: AuditChain;
  #position: number;
  /** Whether anything was written. */
  changed = false;

  constructor(context: StoreContext, tx: Tx, on: { authority: Authority; audit: AuditChain; position: number }) {
    this.#context = context;
    this.#tx = tx;
    this.#authority = on.authority;
    this.#audit = on.audit;
    this.#position = on.position;
  }

  /** As the port has it. */
  get port(): ConfigDraft {
    return {
      ...configReads(this.#context, this.#tx, this.#authority),
      put: (write) => this.#put(write),
      delete: (write) => this.#delete(write),
      label: (write) => this.#label(write),
      pin: (write) => this.#pin(write),
    };
  }

  async #put(write: ConfigPut): ReturnType<ConfigDraft["put"]> {
    if (!this.#mayWrite(write)) return { outcome: "notFound" };
    const stored = await readStored(this.#tx, this.#authority.projectId, write);
    const before = stored === null ? null : liveOf(stored);
    if (before !== null && (write.createOnly === true || isOther(before, write.expectedRevision)))
      return { outcome: "conflict", current: before };
    if (before === null && write.expectedRevision != null) return { outcome: "notFound" };
    const enabled = write.enabled ?? before?.enabled ?? true;
    if (before !== null && before.digest === write.digest && before.enabled === enabled)
      return { outcome: "put", before, entity: before, change: null };
    const entity = this.#next(write, stored, enabled);
    this.#writeEntity(entity, stored !== null);
    this.#tx.write([this.#revisionOp(entity, write)]);
    if (entity.pinnedLabel === null) await this.#refer(entity, write.references, write.at);
    if (write.agent !== null) this.#showAgent(entity, write.agent);
    const operation = before === null ? "CREATED" : "UPDATED";
    const change = this.#note({ before, entity, operation, reason: write.reason, at: write.at });
    return { outcome: "put", before, entity, change };
  }

  #next(write: ConfigPut, stored: StoredEntity | null, enabled: boolean): ConfigEntityRecord {
    const { kind, name, definition, digest, at } = write;
    // Keys sorted, as scopes are compared as text on SQLite.
    const scope = Scope.parse(JSON.parse(canonicalJson(write.scope)));
    return {
      id: stored?.id ?? this.#context.newId(),
      projectId: this.#authority.projectId,
      ...{ kind, name, scope, scopeKey: scopeKeyOf(scope), definition, digest, enabled },
      revision: (stored?.revision ?? 0) + 1,
      source: "API",
      pinnedLabel: stored?.deletedAt === null ? stored.pinnedLabel : null,
      createdBy: stored?.deletedAt === null ? stored.createdBy : this.#authority.actor.id,
      createdAt: stored?.deletedAt === null ? stored.createdAt : at,
      updatedAt: at,
    };
  }

  async #delete(write: Parameters<ConfigDraft["delete"]>[0]): ReturnType<ConfigDraft["delete"]> {
    const stored = this.#mayWrite(write) ? await readStored(this.#tx, this.#authority.projectId, write) : null;
    const before = stored === null ? null : liveOf(stored);
    if (before === null) return { outcome: "notFound" };
    if (isOther(before, write.expectedRevision)) return { outcome: "conflict", current: before };
    const { id } = before;
    const gone = { id, deleted_at: write.at, updated_at: write.at, pinned_label: null };
    this.#tx.write([{ op: "update", table: "config_entities", rows: [gone] }]);
    await this.#refer(before, [], write.at);
    await this.#tx.query("DELETE FROM config_labels WHERE entity_id = $1", [id]);
    if (before.kind === "AGENT")
      await this.#tx.query(
        `UPDATE agents SET config_entity_id = NULL, removed_at = $1, updated_at = $1
         WHERE project_id = $2 AND scope_key = $3 AND name = $4 AND config_entity_id = $5`,
        [this.#context.dialect.time(write.at), before.projectId, before.scopeKey, before.name, id],
      );
    const { reason, at } = write;
    const change = this.#note({ before, entity: before, operation: "DELETED", reason, at });
    return { outcome: "deleted", before, change };
  }

  async #label(write: Parameters<ConfigDraft["label"]>[0]): Promise<LabelOutcome> {
    const entity = await this.#writable(write);
    if (entity === null) return { outcome: "notFound", what: "entity" };
    const { label, revision, at } = write;
    if (revision === null) {
      if (entity.pinnedLabel === label) return { outcome: "pinned" };
      const gone = await this.#tx.query(
        "DELETE FROM config_labels WHERE entity_id = $1 AND label = $2 RETURNING revision",
        [entity.id, label],
      );
      if (gone.length === 0) return { outcome: "notFound", what: "label" };
    } else {
      const [known] = await this.#tx.query(
        "SELECT revision FROM config_revisions WHERE entity_id = $1 AND revision = $2",
        [entity.id, revision],
      );
      if (known === undefined) return { outcome: "notFound", what: "revision" };
      const row = { id: this.#context.newId(), entity_id: entity.id, label, revision, created_at: at, updated_at: at };
      const conflict =
        "ON CONFLICT (entity_id, label) DO UPDATE SET revision = excluded.revision, updated_at = excluded.updated_at";
      this.#tx.write([{ op: "insert", table: "config_labels", rows: [row], conflict }]);
    }
    return this.#labelled(entity, entity, write, { label, revision });
  }

  async #pin(write: Parameters<ConfigDraft["pin"]>[0]): Promise<LabelOutcome> {
    const entity = await this.#writable(write);
    if (entity === null) return { outcome: "notFound", what: "entity" };
    const { label, at } = write;
    const rows = await this.#tx.query("SELECT label, revision, updated_at FROM config_labels WHERE entity_id = $1", [
      entity.id,
    ]);
    const known = rows.map(labelOf).find((one) => one.label === label);
    if (label !== null && known === undefined) return { outcome: "notFound", what: "label" };
    const row = { id: entity.id, pinned_label: label, updated_at: at };
    this.#tx.write([{ op: "update", table: "config_entities", rows: [row] }]);
    const pinned = { ...entity, pinnedLabel: label, updatedAt: at };
    return this.#labelled(entity, pinned, write, { label, revision: known?.revision ?? entity.revision });
  }

  async #labelled(
    before: ConfigEntityRecord,
    entity: ConfigEntityRecord,
    write: { references: readonly ConfigReference[] | null; reason: string | null; at: Date },
    { label, revision }: { label: string | null; revision: number | null },
  ): Promise<LabelOutcome> {
    if (write.references !== null) await this.#refer(entity, write.references, write.at);
    const { reason, at } = write;
    const change = this.#noteChange({ entity, operation: "LABELLED", at }, revision);
    const was = { pinnedLabel: before.pinnedLabel };
    const is = { pinnedLabel: entity.pinnedLabel, label, revision };
    this.#audit.append({ ...this.#fact(entity, "LABELLED"), before: was, after: is, reason, at });
    return { outcome: "labelled", entity, change };
  }

  /** An exact caller writes at its own scope; nothing that others use as well. */
  #mayWrite({ kind, scope }: ConfigKey): boolean {
    if (!reaches(this.#authority, { kind, scope })) return false;
    return this.#authority.reach === "PROJECT" || sameScope(scope, this.#authority.scope);
  }

  async #writable(key: ConfigKey): Promise<ConfigEntityRecord | null> {
    const stored = this.#mayWrite(key) ? await readStored(this.#tx, this.#authority.projectId, key) : null;
    return stored === null ? null : liveOf(stored);
  }

  #writeEntity(entity: ConfigEntityRecord, exists: boolean): void {
    const row = {
      id: entity.id,
      definition: entity.definition,
      revision: entity.revision,
      digest: entity.digest,
      enabled: entity.enabled,
      pinned_label: entity.pinnedLabel,
      created_by: entity.createdBy,
      created_at: entity.createdAt,
      updated_at: entity.updatedAt,
      deleted_at: null,
    };
    if (exists) {
      this.#tx.write([{ op: "update", table: "config_entities", rows: [row] }]);
      return;
    }
    const { projectId, kind, name, scope, scopeKey, source } = entity;
    const key = { project_id: projectId, kind, name, scope, scope_key: scopeKey, source };
    const shape = { project_id: projectId, keys: shapeOf(scope), created_at: entity.createdAt };
    this.#tx.write([
      { op: "insert", table: "config_entities", rows: [{ ...row, ...key, scope_depth: Object.keys(scope).length }] },
      { op: "insert", table: "config_shapes", rows: [shape], conflict: "ON CONFLICT DO NOTHING" },
    ]);
  }

  #revisionOp(entity: ConfigEntityRecord, { reason, at }: Pick<ConfigPut, "reason" | "at">): WriteOp {
    const { id: entityId, revision, definition, digest, enabled } = entity;
    const id = this.#context.newId();
    const author = this.#authority.actor.id;
    const row = { id, entity_id: entityId, revision, definition, digest, enabled, reason, author, created_at: at };
    return { op: "insert", table: "config_revisions", rows: [row] };
  }

  async #refer(entity: ConfigEntityRecord, references: readonly ConfigReference[], at: Date): Promise<void> {
    await this.#tx.query("DELETE FROM config_references WHERE entity_id = $1", [entity.id]);
    const rows = references.map((reference) => ({
      entity_id: entity.id,
      project_id: entity.projectId,
      ...reference,
      created_at: at,
    }));
    this.#tx.write([{ op: "insert", table: "config_references", rows }]);
  }

  /** The row by which the agent is listed and by which its conversations know it. A drawn graph stays until it is drawn anew. */
  #showAgent(entity: ConfigEntityRecord, agent: ShownAgent): void {
    const row = {
      id: this.#context.newId(),
      project_id: entity.projectId,
      scope: entity.scope,
      scope_key: entity.scopeKey,
      name: entity.name,
      display_name: agent.displayName,
      description: agent.description,
      input_schema: agent.inputSchema,
      output_schema: agent.outputSchema,
      source: "API",
      config_entity_id: entity.id,
      removed_at: entity.enabled ? null : entity.updatedAt,
      created_at: entity.updatedAt,
      updated_at: entity.updatedAt,
    };
    const kept = new Set(["id", "project_id", "scope", "scope_key", "name", "created_at"]);
    const sets = Object.keys(row).flatMap((column) => (kept.has(column) ? [] : [`${column} = excluded.${column}`]));
    const conflict = `ON CONFLICT (project_id, scope_key, name) DO UPDATE SET ${sets.join(", ")}`;
    this.#tx.write([{ op: "insert", table: "agents", rows: [row], conflict }]);
  }

  #note({ before, entity, operation, reason, at }: Written): ConfigChangeRecord {
    const after = operation === "DELETED" ? null : auditedOf(entity);
    const was = before === null ? null : auditedOf(before);
    this.#audit.append({ ...this.#fact(entity, operation), before: was, after, reason, at });
    return this.#noteChange({ entity, operation, at }, operation === "DELETED" ? null : entity.revision);
  }

  #fact({ id, kind }: { id: string; kind: ConfigKind }, operation: ConfigOperation) {
    const action = `config.${operation.toLowerCase()}`;
    return { actor: this.#authority.actor, action, subjectKind: kind, subjectId: id };
  }

  #noteChange(
    { entity, operation, at }: Pick<Written, "entity" | "operation" | "at">,
    revision: number | null,
  ): ConfigChangeRecord {
    this.changed = true;
    this.#position++;
    const { kind, name, scope } = entity;
    const id = this.#context.newId();
    const position = this.#position;
    const row = {
      ...{ id, project_id: entity.projectId, position, kind, name, scope, scope_key: entity.scopeKey },
      ...{ operation, revision, at, created_at: at },
    };
    this.#tx.write([{ op: "insert", table: "config_changes", rows: [row] }]);
    return { id, position, kind, name, scope, operation, revision, at };
  }
}

const isOther = ({ revision }: ConfigEntityRecord, expected: number | null | undefined): boolean =>
  expected != null && expected !== revision;

const auditedOf = ({ name, scope, revision, digest, enabled, definition }: ConfigEntityRecord) => ({
  ...{ name, scope, revision, digest, enabled, definition },
});
