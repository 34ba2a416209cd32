import { type Authority, canonicalJson, type Issue, Refusal } from "@wheelhouse/domain";
import { type ConfigDeps, type ConfigOutcome, type ConfigWrite, changeConfig } from "./change-config.ts";
import { configInvalid } from "./config-key.ts";
import { type DeleteConfigEntityInput, deleteWrite } from "./delete-config-entity.ts";
import { type UpsertConfigEntityInput, upsertWrite } from "./upsert-config-entity.ts";

/** One change of a set: exactly one of both. */
export interface ConfigChangeInput {
  upsert?: Omit<UpsertConfigEntityInput, "dryRun"> | null | undefined;
  delete?: Omit<DeleteConfigEntityInput, "dryRun"> | null | undefined;
}

export interface ApplyConfigChangeSetInput {
  changes: readonly ConfigChangeInput[];
  /** Of every change that gives none of its own. */
  reason?: string | null | undefined;
  dryRun?: boolean | null | undefined;
}

/** Writes several definitions, all or none. They may name each other. Issues begin with `changes[n]`. */
export async function applyConfigChangeSet(
  deps: ConfigDeps,
  authority: Authority,
  input: ApplyConfigChangeSetInput,
): Promise<ConfigOutcome> {
  const { changes, reason = null, dryRun } = input;
  const { maxChangeSet } = deps.tunables;
  if (changes.length === 0 || changes.length > maxChangeSet)
    throw configInvalid([{ path: "changes", message: `give 1 to ${maxChangeSet} changes` }]);
  const issues: Issue[] = [];
  const writes: ConfigWrite[] = [];
  const seen = new Set<string>();
  for (const [i, change] of changes.entries()) {
    const write = readChange(deps, authority, change, { at: `changes[${i}]`, issues });
    if (write === null) continue;
    const key = canonicalJson([write.key.kind, write.key.name, write.key.scope]);
    if (seen.has(key)) issues.push({ path: `changes[${i}]`, message: "this definition is changed twice in the set" });
    seen.add(key);
    writes.push({ ...write, reason: write.reason ?? reason });
  }
  if (issues.length > 0) throw configInvalid(issues);
  return changeConfig(deps, authority, { writes, dryRun });
}

function readChange(
  deps: ConfigDeps,
  authority: Authority,
  change: ConfigChangeInput,
  { at, issues }: { at: string; issues: Issue[] },
): ConfigWrite | null {
  const { upsert, delete: gone } = change;
  if ((upsert == null) === (gone == null)) {
    issues.push({ path: at, message: "give upsert or delete" });
    return null;
  }
  try {
    if (upsert != null) return upsertWrite(deps, authority, upsert);
    return gone == null ? null : deleteWrite(deps, authority, gone);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "CONFIG_INVALID") throw error;
    issues.push(...error.issues.map(({ path, message }) => ({ path: `${at}.${path}`, message })));
    return null;
  }
}
