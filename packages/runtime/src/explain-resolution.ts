import type { Authority, CandidateVerdict } from "@wheelhouse/domain";
import { ConfigKind } from "@wheelhouse/domain";
import type { FoundDefinition } from "@wheelhouse/registry";
import type { ConfigEntityRecord } from "@wheelhouse/storage";
import { type ConfigKeyInput, configInvalid, resolvedScope } from "./config-key.ts";
import type { RuntimeDeps } from "./deps.ts";
import { type RankedDefinition, rankDefinitions } from "./find-definitions.ts";

/** A definition that a name may mean, and why it does or does not. */
export interface ExplainedCandidate {
  found: FoundDefinition;
  /** Null for files and code. */
  entity: ConfigEntityRecord | null;
  verdict: CandidateVerdict;
  reason: string;
}

type ExplainDeps = Pick<RuntimeDeps, "storage" | "registry" | "scopeKeys">;

/** Every definition that a name may mean at a scope, in the order in which they are looked at, and why one of them won. */
export async function explainResolution(
  deps: ExplainDeps,
  authority: Authority,
  input: ConfigKeyInput,
): Promise<ExplainedCandidate[]> {
  const kind = ConfigKind.safeParse(input.kind);
  if (!kind.success) throw configInvalid([{ path: "kind", message: "there is no such kind" }]);
  const scope = resolvedScope(deps, authority, input.scope);
  const reads = deps.storage.config.reads(authority);
  const ranked = await rankDefinitions(deps, reads, scope, [{ kind: kind.data, name: input.name }]);
  const winner = ranked.find(({ verdict }) => verdict === "WON");
  return ranked.map((one) => ({ ...one, reason: reasonOf(one, winner) }));
}

/** The definition that a name means at a scope; null when it means nothing. */
export async function resolveConfig(
  deps: ExplainDeps,
  authority: Authority,
  input: ConfigKeyInput,
): Promise<ExplainedCandidate | null> {
  return (await explainResolution(deps, authority, input)).find(({ verdict }) => verdict === "WON") ?? null;
}

function reasonOf(one: RankedDefinition, winner: RankedDefinition | undefined): string {
  switch (one.verdict) {
    case "WON":
      return `applies: ${placeOf(one)}, and nothing comes before it`;
    case "DISABLED":
      return "is disabled, so it is passed over";
    case "OTHER_SCOPE":
      return "is an agent of another scope: agents of the API apply at the scope they were made at, or in the whole project";
    case "OUTRANKED":
      return winner === undefined ? "does not apply" : `comes behind the one that applies: ${orderOf(one, winner)}`;
  }
}

const placeOf = ({ entity, found }: RankedDefinition): string =>
  entity === null ? found.place : keysOf(entity) === "" ? "it is for every scope" : `it has the keys ${keysOf(entity)}`;

const keysOf = ({ scope }: ConfigEntityRecord): string => Object.keys(scope).sort().join(", ");

function orderOf(one: RankedDefinition, { entity: won }: RankedDefinition): string {
  if (one.entity === null) return "definitions of the API come before those of files, and these before those of code";
  if (won === null || Object.keys(won.scope).length > Object.keys(one.entity.scope).length)
    return "more keys of the scope are closer to it";
  return "of equally many keys, those that the installation declares first come first";
}
