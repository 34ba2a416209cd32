import {
  type Authority,
  ConfigKind,
  defaultsName,
  EntityName,
  type Issue,
  type ConfigKind as Kind,
  Refusal,
  Scope,
  sameScope,
} from "@wheelhouse/domain";
import type { ConfigKey } from "@wheelhouse/storage";
import { requireRole } from "./check-input.ts";
import type { RuntimeDeps } from "./deps.ts";

/** Which definition a caller means. */
export interface ConfigKeyInput {
  kind: string;
  name: string;
  /** The caller's own scope when absent. */
  scope?: unknown;
}

type KeyDeps = Pick<RuntimeDeps, "scopeKeys">;

/** One refusal that names everything that is wrong with a definition. */
export const configInvalid = (issues: readonly Issue[]): Refusal =>
  new Refusal(
    "CONFIG_INVALID",
    issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; "),
    { issues },
  );

/** The key of a definition to write. Refuses names and scopes that cannot be, naming each; and who may not write there. */
export function writableKey(deps: KeyDeps, authority: Authority, input: ConfigKeyInput): ConfigKey {
  requireRole(authority, "EDITOR");
  const kind = ConfigKind.safeParse(input.kind);
  if (!kind.success) throw configInvalid([{ path: "kind", message: `there is no kind ${input.kind.slice(0, 50)}` }]);
  const { scope, issues } = readScope(deps, authority, input.scope);
  const all = [...nameIssues(kind.data, input.name), ...issues];
  if (scope === null || all.length > 0) throw configInvalid(all);
  const key = { kind: kind.data, name: input.name, scope: keptScope(authority, kind.data, scope) };
  const misplaced = kind.data === "AGENT" ? agentScopeIssues(deps, key.scope) : [];
  if (misplaced.length > 0) throw configInvalid(misplaced);
  if (authority.reach === "EXACT" && !sameScope(key.scope, authority.scope))
    throw new Refusal("FORBIDDEN", "An API key of exact reach writes definitions at its own scope only");
  return key;
}

/** The key of a definition to look at. Null when there can be none. */
export function readableKey(deps: KeyDeps, authority: Authority, input: ConfigKeyInput): ConfigKey | null {
  const kind = ConfigKind.safeParse(input.kind);
  const { scope, issues } = readScope(deps, authority, input.scope);
  if (!kind.success || scope === null || issues.length > 0) return null;
  return { kind: kind.data, name: input.name, scope: keptScope(authority, kind.data, scope) };
}

/** The scope that a caller resolves names for: their own when they do not say. */
export function resolvedScope(deps: KeyDeps, authority: Authority, scope: unknown): Scope {
  const read = readScope(deps, authority, scope);
  if (read.scope === null || read.issues.length > 0) throw configInvalid(read.issues);
  return read.scope;
}

function readScope(
  { scopeKeys }: KeyDeps,
  authority: Authority,
  scope: unknown,
): { scope: Scope | null; issues: Issue[] } {
  if (scope == null) return { scope: authority.scope, issues: [] };
  const parsed = Scope.safeParse(scope);
  if (!parsed.success) {
    const message = "is an object of texts, by scope key; values have 1 to 500 characters";
    return { scope: null, issues: [{ path: "scope", message }] };
  }
  const issues = Object.keys(parsed.data).flatMap((key): Issue[] => {
    if (!scopeKeys.includes(key))
      return [
        { path: `scope.${key}`, message: `is not one of this installation's scope keys: ${scopeKeys.join(", ")}` },
      ];
    if (key === "project" && parsed.data.project !== authority.scope.project)
      return [{ path: "scope.project", message: "is not the project of this request" }];
    return [];
  });
  return { scope: parsed.data, issues };
}

/** Every definition belongs to a project. For agents, which are exact, the empty scope and the bare project are one. */
const keptScope = ({ scope: own }: Authority, kind: Kind, scope: Scope): Scope =>
  kind === "AGENT" && Object.keys(scope).length === 0 && own.project !== undefined ? { project: own.project } : scope;

function nameIssues(kind: Kind, name: string): Issue[] {
  if (kind === "DEFAULTS" && name !== defaultsName)
    return [{ path: "name", message: `defaults have the name ${defaultsName}` }];
  const checked = EntityName.safeParse(name);
  return checked.success ? [] : [{ path: "name", message: checked.error.issues[0]?.message ?? "is not a name" }];
}

function agentScopeIssues({ scopeKeys }: KeyDeps, scope: Scope): Issue[] {
  const isComplete = scopeKeys.every((key) => key in scope);
  if (isProjectLevel(scope) || isComplete) return [];
  const message = `an agent is defined for the whole project or for a complete scope (${scopeKeys.join(", ")})`;
  return [{ path: "scope", message }];
}

/** Whether a scope says no more than the project: files and code are at this level. */
export const isProjectLevel = (scope: Scope): boolean => Object.keys(scope).every((key) => key === "project");
