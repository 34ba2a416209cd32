import { type Authority, type ConfigKind, canonicalJson, type Scope } from "@wheelhouse/domain";
import { digestOf } from "@wheelhouse/domain/digest";
import type { ConfigEntityRecord } from "@wheelhouse/storage";
import { applyConfigChangeSet, type ConfigChangeInput } from "./apply-config-change-set.ts";
import type { ConfigDeps, ConfigOutcome } from "./change-config.ts";

/** A definition as it is to be in the project. */
export interface ImportedDefinition {
  kind: ConfigKind;
  name: string;
  scope: Scope;
  definition: Record<string, unknown>;
  enabled: boolean;
}

/** One difference between a project and what it is to be. */
export type PlannedChange =
  | { op: "create"; wanted: ImportedDefinition; current: null }
  | { op: "update"; wanted: ImportedDefinition; current: ConfigEntityRecord }
  | { op: "delete"; wanted: null; current: ConfigEntityRecord };

export interface ConfigPlan {
  changes: PlannedChange[];
  unchanged: number;
}

const pageSize = 500;

/** Every definition that was written through the API, by kind, name and scope. */
export async function* readAllConfig(
  { storage }: Pick<ConfigDeps, "storage">,
  authority: Authority,
): AsyncGenerator<ConfigEntityRecord> {
  const reads = storage.config.reads(authority);
  let after: ConfigEntityRecord | null = null;
  do {
    const page: ConfigEntityRecord[] = await reads.list({}, { after, limit: pageSize });
    yield* page;
    after = page.length < pageSize ? null : (page.at(-1) ?? null);
  } while (after !== null);
}

/** What has to change so that a project has these definitions; with `prune`, and no others. */
export async function planConfigImport(
  deps: Pick<ConfigDeps, "storage">,
  authority: Authority,
  { definitions, prune }: { definitions: readonly ImportedDefinition[]; prune: boolean },
): Promise<ConfigPlan> {
  const current = new Map<string, ConfigEntityRecord>();
  for await (const entity of readAllConfig(deps, authority)) current.set(keyOf(entity), entity);
  const changes: PlannedChange[] = [];
  let unchanged = 0;
  for (const wanted of definitions) {
    const there = current.get(keyOf(wanted)) ?? null;
    current.delete(keyOf(wanted));
    if (there === null) changes.push({ op: "create", wanted, current: null });
    else if (there.digest === digestOf(wanted.definition) && there.enabled === wanted.enabled) unchanged++;
    else changes.push({ op: "update", wanted, current: there });
  }
  if (prune) for (const entity of current.values()) changes.push({ op: "delete", wanted: null, current: entity });
  return { changes, unchanged };
}

/**
 * Carries out a plan, all or nothing. Whatever changed since it was made is a conflict, so that nobody's work is written
 * over. Issues begin with `changes[n]`, by the order of the plan.
 */
export async function importConfig(
  deps: ConfigDeps,
  authority: Authority,
  { plan, reason, dryRun }: { plan: ConfigPlan; reason: string | null; dryRun: boolean },
): Promise<ConfigOutcome> {
  if (plan.changes.length === 0) return { outcome: "saved", saved: [], impact: [], impactComplete: true };
  // The limit is for requests; a project's definitions move as one.
  const tunables = { ...deps.tunables, maxChangeSet: plan.changes.length };
  return applyConfigChangeSet({ ...deps, tunables }, authority, {
    changes: plan.changes.map(asChange),
    reason,
    dryRun,
  });
}

function asChange({ op, wanted, current }: PlannedChange): ConfigChangeInput {
  if (op === "delete") {
    const { kind, name, scope, revision } = current;
    return { delete: { kind, name, scope, expectedRevision: revision } };
  }
  const expected = op === "create" ? { createOnly: true } : { expectedRevision: current.revision };
  return { upsert: { ...wanted, ...expected } };
}

const keyOf = ({ kind, name, scope }: Pick<ImportedDefinition, "kind" | "name" | "scope">): string =>
  canonicalJson([kind, name, scope]);
