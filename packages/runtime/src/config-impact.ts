import {
  type ConfigKind,
  canonicalJson,
  isSubset,
  type Manifest,
  referencesOf,
  type Scope,
  sameScope,
} from "@wheelhouse/domain";
import type { ConfigKey, ConfigReads } from "@wheelhouse/storage";
import type { DefinitionDeps } from "./find-definitions.ts";
import { agentAt } from "./find-definitions.ts";

/** An agent at a scope, and what it would run before and after a change. */
export interface ResolutionImpact {
  agent: string;
  /** In every scope that has these keys, and more. */
  scope: Scope;
  /** SHA-256 hex of the manifest; null when there is no such agent, or it cannot run. */
  before: string | null;
  after: string | null;
}

/** An agent at a scope. */
export interface AgentPlace {
  agent: string;
  scope: Scope;
}

/** The agents that may resolve differently when these definitions change; not all of them when there are more than `most`. */
export async function concernedAgents(
  { registry }: Pick<DefinitionDeps, "registry">,
  reads: ConfigReads,
  { changed, most }: { changed: readonly ConfigKey[]; most: number },
): Promise<{ places: AgentPlace[]; complete: boolean }> {
  const places = new Map<string, AgentPlace>();
  let complete = true;
  const add = (agent: string, scope: Scope): boolean => {
    const key = canonicalJson([agent, scope]);
    if (places.has(key)) return false;
    if (places.size >= most) complete = false;
    else places.set(key, { agent, scope });
    return places.has(key);
  };
  for (const { kind, name, scope } of changed) {
    if (kind === "AGENT") add(name, scope);
    const open: { kind: ConfigKind; name: string }[] = [{ kind, name }];
    for (let one = open.pop(); one !== undefined; one = open.pop())
      for (const user of await usersOf(registry, reads, { ...one, scope }, most)) {
        const at = together(scope, user);
        if (user.kind === "DEFAULTS") open.push({ kind: "DEFAULTS", name: user.name });
        else if (at !== null && add(user.name, at)) open.push({ kind: "AGENT", name: user.name });
      }
  }
  return { places: [...places.values()], complete };
}

interface User {
  kind: ConfigKind;
  name: string;
  /** Null for what files and code define: it is the same at every scope. */
  scope: Scope | null;
}

/** Who names a definition, or uses it without a name: defaults and providers are for every agent. */
async function usersOf(
  registry: DefinitionDeps["registry"],
  reads: ConfigReads,
  { kind, name, scope }: ConfigKey,
  most: number,
): Promise<User[]> {
  const forAll = kind === "DEFAULTS" || kind === "PROVIDER";
  // Of all agents, those at the very scope and around it first: there may be many in others.
  const written = forAll
    ? [...(await reads.candidatesOfKind(scope, "AGENT")), ...(await reads.someOfKind("AGENT", most + 1))]
    : (await reads.namedBy([{ kind, name }], most + 1)).map(({ entity }) => entity);
  const shared = registry
    .allShared()
    .filter(
      (one) =>
        (forAll && one.kind === "AGENT") ||
        referencesOf(one.kind, one.definition).some((reference) => reference.kind === kind && reference.name === name),
    );
  return [
    ...written.map((entity) => ({ kind: entity.kind, name: entity.name, scope: entity.scope })),
    ...shared.map((one) => ({ kind: one.kind, name: one.name, scope: null })),
  ];
}

/** The widest scope in which both apply; null when there is none. Agents of a complete scope are there and nowhere below. */
function together(changed: Scope, user: User): Scope | null {
  const scope = user.scope ?? {};
  const both = { ...changed, ...scope };
  if (!isSubset(changed, both)) return null;
  const isExact = user.kind === "AGENT" && Object.keys(scope).some((key) => key !== "project");
  return isExact && !sameScope(both, scope) ? null : both;
}

/** What an agent would run: the manifest with its digest, or what is wrong; neither when there is no such agent. */
export interface PlannedRun {
  manifest: Manifest | null;
  digest: string | null;
  wrong: string | null;
}

/** What each agent would run at its scope. */
export async function manifestsOf(
  deps: DefinitionDeps,
  reads: ConfigReads,
  places: readonly AgentPlace[],
): Promise<PlannedRun[]> {
  const found: PlannedRun[] = [];
  for (const { agent: name, scope } of places) {
    const resolved = await agentAt(deps, reads, { name, scope });
    const [first] = resolved?.issues ?? [];
    found.push({
      manifest: resolved?.agent?.manifest ?? null,
      digest: resolved?.agent?.manifestDigest ?? null,
      wrong: first === undefined ? null : `${first.path}: ${first.message}`,
    });
  }
  return found;
}
