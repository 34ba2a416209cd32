import {
  type Authority,
  appliesAt,
  type ConfigKind,
  isSubset,
  type Scope,
  sameScope,
  scopeParts,
} from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import type { ConfigEntityRecord, ConfigKey, ConfigListFilter, ConfigReads } from "../../configuration.ts";
import { int, text } from "../rows.ts";
import type { Row, Tx } from "../sql.ts";
import {
  appliedJoin,
  appliedOf,
  appliedSelect,
  entityOf,
  entitySelect,
  labelOf,
  liveOf,
  revisionOf,
  revisionSelect,
  type StoredEntity,
} from "./config-rows.ts";
import type { StoreContext } from "./context.ts";
import { Params } from "./visible-rows.ts";

/** `project,user` for a scope of these keys. */
export const shapeOf = (scope: Scope): string => Object.keys(scope).sort().join(",");

/** Whether a definition is one of those that the caller may read: an exact caller reads what applies to its own scope. */
export const reaches = (authority: Authority, { kind, scope }: { kind: ConfigKind; scope: Scope }): boolean =>
  authority.reach === "PROJECT" || appliesAt(kind, { source: "API", scope }, authority.scope);

/** An exact caller resolves for its own scope or a part of it. */
const mayResolve = (authority: Authority, scope: Scope): boolean =>
  authority.reach === "PROJECT" || isSubset(scope, authority.scope);

export function configReads(context: StoreContext, db: Pick<Tx, "query">, authority: Authority): ConfigReads {
  const { projectId } = authority;
  const visible = <E extends { kind: ConfigKind; scope: Scope }>(entities: readonly E[]): E[] =>
    entities.filter((entity) => reaches(authority, entity));

  /** The keys under which definitions that apply to the scope can be: those of the parts that some definition has. */
  async function scopeKeys(scope: Scope): Promise<string[]> {
    const rows = await db.query("SELECT keys FROM config_shapes WHERE project_id = $1", [projectId]);
    return rows.flatMap((row) => {
      const keys = text(row, "keys").split(",").filter(Boolean);
      const part = Object.fromEntries(keys.flatMap((key) => (scope[key] === undefined ? [] : [[key, scope[key]]])));
      return Object.keys(part).length === keys.length ? [scopeKeyOf(part)] : [];
    });
  }

  /** A key may be that of another scope: what is meant is the scope itself. */
  const applied = (rows: readonly Row[], scope: Scope): ConfigEntityRecord[] =>
    visible(rows.map(appliedOf).filter((entity) => isSubset(entity.scope, scope)));

  async function stored(key: ConfigKey): Promise<StoredEntity | null> {
    const row = await readStored(db, projectId, key);
    return row !== null && reaches(authority, row) ? row : null;
  }

  return {
    async candidates(scope, names) {
      if (names.length === 0 || !mayResolve(authority, scope)) return [];
      const keys = await scopeKeys(scope);
      if (keys.length === 0) return [];
      const { sql, params } = candidatesStatement(context, projectId, { keys, names });
      return applied(await db.query(sql, params), scope);
    },
    async candidatesOfKind(scope, kind) {
      if (!mayResolve(authority, scope)) return [];
      const keys = await scopeKeys(scope);
      const rows = await db.query(
        `SELECT ${appliedSelect} FROM config_entities e ${appliedJoin}
         WHERE e.project_id = $1 AND ${context.dialect.inList("e.scope_key", 2)} AND e.kind = $3 AND e.deleted_at IS NULL`,
        [projectId, keys, kind],
      );
      return applied(rows, scope);
    },
    async entity(key) {
      const found = await stored(key);
      return found === null ? null : liveOf(found);
    },
    async entitiesById(ids) {
      if (ids.length === 0) return [];
      const rows = await db.query(
        `SELECT ${entitySelect} FROM config_entities e WHERE ${context.dialect.inList("e.id", 1)} AND e.project_id = $2`,
        [ids, projectId],
      );
      return visible(rows.map(entityOf)).flatMap((entity) => liveOf(entity) ?? []);
    },
    async revision(key, revision) {
      const found = await stored(key);
      if (found === null) return null;
      const [row] = await db.query(
        `SELECT ${revisionSelect} FROM config_revisions r WHERE r.entity_id = $1 AND r.revision = $2`,
        [found.id, revision],
      );
      return row === undefined ? null : revisionOf(row);
    },
    async labels(key) {
      const found = await stored(key);
      if (found === null || found.deletedAt !== null) return [];
      const rows = await db.query(
        "SELECT label, revision, updated_at FROM config_labels WHERE entity_id = $1 ORDER BY label",
        [found.id],
      );
      return rows.map(labelOf);
    },
    async namedBy(names, limit) {
      if (names.length === 0) return [];
      const params = new Params();
      const project = params.add(projectId);
      const wanted = byKind(names).map(([kind, of]) => {
        const kindIs = `f.kind = ${params.add(kind)}`;
        params.add(of);
        return `(${kindIs} AND ${context.dialect.inList("f.name", params.values.length)})`;
      });
      const rows = await db.query(
        `SELECT ${entitySelect}, f.path AS f_path, f.kind AS f_kind, f.name AS f_name
         FROM config_references f JOIN config_entities e ON e.id = f.entity_id
         WHERE f.project_id = ${project} AND (${wanted.join(" OR ")}) AND e.deleted_at IS NULL
         ORDER BY e.kind, e.name, e.scope_key, f.path LIMIT ${params.add(limit)}`,
        params.values,
      );
      const found = rows.map((row) => {
        const { deletedAt: _, ...entity } = entityOf(row);
        return {
          entity,
          path: text(row, "f_path"),
          kind: kindOf(names, text(row, "f_kind")),
          name: text(row, "f_name"),
        };
      });
      return found.filter(({ entity }) => reaches(authority, entity));
    },
    async list(filter, { after, limit }) {
      const params = new Params();
      const conditions = listConditions(context, authority, filter, params);
      if (after !== null) {
        const place = [after.kind, after.name, after.scopeKey].map((value) => params.add(value)).join(", ");
        conditions.push(`(e.kind, e.name, e.scope_key) > (${place})`);
      }
      const rows = await db.query(
        `SELECT ${entitySelect} FROM config_entities e WHERE ${conditions.join(" AND ")}
         ORDER BY e.kind, e.name, e.scope_key LIMIT ${params.add(limit)}`,
        params.values,
      );
      return rows.flatMap((row) => liveOf(entityOf(row)) ?? []);
    },
    async count(filter, most) {
      const params = new Params();
      const conditions = listConditions(context, authority, filter, params);
      const [row] = await db.query(
        `SELECT count(*) AS n FROM (SELECT 1 FROM config_entities e WHERE ${conditions.join(" AND ")}
         LIMIT ${params.add(most)}) counted`,
        params.values,
      );
      return row === undefined ? 0 : int(row, "n");
    },
    async someOfKind(kind, limit) {
      const rows = await db.query(
        `SELECT ${appliedSelect} FROM config_entities e ${appliedJoin}
         WHERE e.project_id = $1 AND e.kind = $2 AND e.deleted_at IS NULL ORDER BY e.name, e.scope_key LIMIT $3`,
        [projectId, kind, limit],
      );
      return visible(rows.map(appliedOf));
    },
  };
}

function kindOf(names: readonly { kind: ConfigKind }[], kind: string): ConfigKind {
  const known = names.find((name) => name.kind === kind);
  if (known === undefined) throw new Error("The database answered with a kind that nobody asked for");
  return known.kind;
}

/** The row of a key, deleted or not, by the stored scope itself. */
export async function readStored(
  db: Pick<Tx, "query">,
  projectId: string,
  { kind, name, scope }: ConfigKey,
): Promise<StoredEntity | null> {
  const [row] = await db.query(
    `SELECT ${entitySelect} FROM config_entities e
     WHERE e.project_id = $1 AND e.kind = $2 AND e.name = $3 AND e.scope_key = $4`,
    [projectId, kind, name, scopeKeyOf(scope)],
  );
  const found = row === undefined ? null : entityOf(row);
  return found !== null && sameScope(found.scope, scope) ? found : null;
}

/** Of a list: an exact caller has what applies to its own scope, by key. */
function listConditions(
  { dialect }: StoreContext,
  authority: Authority,
  { kind, text: wanted }: ConfigListFilter,
  params: Params,
): string[] {
  const conditions = [`e.project_id = ${params.add(authority.projectId)}`, "e.deleted_at IS NULL"];
  if (kind !== undefined) conditions.push(`e.kind = ${params.add(kind)}`);
  if (wanted !== undefined && wanted !== "")
    conditions.push(`e.name LIKE ${params.add(`%${wanted.toLowerCase().replaceAll(/[!%_]/g, "!$&")}%`)} ESCAPE '!'`);
  if (authority.reach === "PROJECT") return conditions;
  const inKeys = (scopes: readonly Scope[]) => {
    params.add(scopes.map(scopeKeyOf));
    return dialect.inList("e.scope_key", params.values.length);
  };
  const parts = scopeParts(authority.scope);
  const ofAgents = parts.filter((scope) => appliesAt("AGENT", { source: "API", scope }, authority.scope));
  conditions.push(inKeys(parts), `(e.kind <> 'AGENT' OR ${inKeys(ofAgents)})`);
  return conditions;
}

const byKind = (names: readonly { kind: ConfigKind; name: string }[]): [ConfigKind, string[]][] => {
  const kinds = new Map<ConfigKind, Set<string>>();
  for (const { kind, name } of names) kinds.set(kind, (kinds.get(kind) ?? new Set()).add(name));
  return [...kinds].map(([kind, of]) => [kind, [...of]]);
};

/** One branch for each kind, so that each is a lookup in the unique index. */
function candidatesStatement(
  { dialect }: StoreContext,
  projectId: string,
  { keys, names }: { keys: readonly string[]; names: readonly { kind: ConfigKind; name: string }[] },
) {
  const params = new Params();
  const project = params.add(projectId);
  params.add(keys);
  const scopeKey = dialect.inList("e.scope_key", params.values.length);
  const branches = byKind(names).map(([kind, of]) => {
    const kindIs = params.add(kind);
    params.add(of);
    return `SELECT ${appliedSelect} FROM config_entities e ${appliedJoin}
      WHERE e.project_id = ${project} AND e.kind = ${kindIs} AND ${dialect.inList("e.name", params.values.length)}
        AND ${scopeKey} AND e.deleted_at IS NULL`;
  });
  return { sql: branches.join(" UNION ALL "), params: params.values };
}
