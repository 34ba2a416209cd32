import { type CandidateVerdict, type ConfigKind, rankCandidates, type Scope } from "@wheelhouse/domain";
import { type Assembled, assembleAgent, type DefinitionLookup, type FoundDefinition } from "@wheelhouse/registry";
import type { ConfigEntityRecord, ConfigReads } from "@wheelhouse/storage";
import type { RuntimeDeps } from "./deps.ts";

export type DefinitionDeps = Pick<RuntimeDeps, "registry" | "scopeKeys">;

/** A definition that a name may mean at a scope; `entity` is null for files and code. */
export interface RankedDefinition {
  found: FoundDefinition;
  entity: ConfigEntityRecord | null;
  verdict: CandidateVerdict;
}

/** Everything that some names may mean at a scope, the winner of each name first among what applies. */
export async function rankDefinitions(
  deps: DefinitionDeps,
  reads: ConfigReads,
  scope: Scope,
  names: readonly { kind: ConfigKind; name: string }[],
): Promise<RankedDefinition[]> {
  const written = await reads.candidates(scope, names);
  const unique = new Map(names.map(({ kind, name }) => [`${kind}/${name}`, { kind, name }]));
  return [...unique.values()].flatMap(({ kind, name }) =>
    ranked(
      deps,
      { kind, name, scope },
      written.filter((entity) => entity.kind === kind && entity.name === name),
    ),
  );
}

function ranked(
  { registry, scopeKeys }: DefinitionDeps,
  { kind, name, scope }: { kind: ConfigKind; name: string; scope: Scope },
  written: readonly ConfigEntityRecord[],
): RankedDefinition[] {
  const candidates = [
    ...written.map((entity) => ({
      ...{ source: "API" as const, scope: entity.scope, enabled: entity.enabled },
      ...{ entity, found: foundEntity(entity) },
    })),
    ...registry.shared(kind, name).map((found) => ({
      ...{ source: found.source, scope: {}, enabled: true },
      ...{ entity: null, found },
    })),
  ];
  return rankCandidates(kind, candidates, { scope, declaredKeys: scopeKeys }).map(({ candidate, verdict }) => ({
    ...{ found: candidate.found, entity: candidate.entity, verdict },
  }));
}

/** A stored definition among those of files and code. */
export const foundEntity = ({
  kind,
  name,
  definition,
  revision,
  digest,
  scope,
}: ConfigEntityRecord): FoundDefinition => ({
  ...{ kind, name, definition, revision, digest, source: "API" },
  place: `API (${Object.keys(scope).join(", ") || "everywhere"})`,
});

/** What names mean at a scope. */
export function lookupAt(deps: DefinitionDeps, reads: ConfigReads, scope: Scope): DefinitionLookup {
  const winners = (of: readonly RankedDefinition[]) =>
    of.flatMap(({ found, verdict }) => (verdict === "WON" ? [found] : []));
  return {
    find: async (names) => winners(await rankDefinitions(deps, reads, scope, names)),
    async providers() {
      const written = await reads.candidatesOfKind(scope, "PROVIDER");
      const shared = deps.registry.allShared().filter(({ kind }) => kind === "PROVIDER");
      const names = new Set([...written, ...shared].map(({ name }) => name));
      return [...names].flatMap((name) =>
        winners(
          ranked(
            deps,
            { kind: "PROVIDER", name, scope },
            written.filter((entity) => entity.name === name),
          ),
        ),
      );
    },
    hasHostTool: (name) => deps.registry.hasHostTool(name),
  };
}

/** The agent that a name means at a scope, or what is wrong with it; null when it means nothing. */
export async function agentAt(
  deps: DefinitionDeps,
  reads: ConfigReads,
  { name, scope }: { name: string; scope: Scope },
): Promise<Assembled | null> {
  const lookup = lookupAt(deps, reads, scope);
  const [found] = await lookup.find([{ kind: "AGENT", name }]);
  if (found === undefined) return null;
  if (found.source !== "CODE") return assembleAgent(found, lookup, { limits: deps.registry.limits });
  const agent = await deps.registry.resolveAgent(name, scope);
  return agent === null ? null : { agent, issues: [] };
}
