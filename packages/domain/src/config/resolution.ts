import type { Scope } from "../scope.ts";
import { isSubset, sameScope } from "../scope.ts";
import type { ConfigKind } from "./kinds.ts";

/** Every part of a scope, the whole one first and the empty one last: the scopes whose definitions can apply to it. */
export function scopeParts(scope: Scope): Scope[] {
  const entries = Object.entries(scope);
  const parts = Array.from({ length: 2 ** entries.length }, (_, bits) =>
    Object.fromEntries(entries.filter((_entry, i) => (bits & (1 << i)) !== 0)),
  );
  return parts.reverse();
}

/**
 * Orders two scopes that both apply: the one with more keys first; of equally many, the one that has the earliest declared
 * key that the other lacks. Undeclared keys count after the declared ones, by name. Never by time or insertion
 * (specification 5.2). Below 0: `a` first.
 */
export function compareScopes(a: Scope, b: Scope, declaredKeys: readonly string[]): number {
  const depth = Object.keys(b).length - Object.keys(a).length;
  if (depth !== 0) return depth;
  const others = [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .filter((key) => !declaredKeys.includes(key))
    .sort();
  for (const key of [...declaredKeys, ...others]) {
    const [inA, inB] = [key in a, key in b];
    if (inA !== inB) return inA ? -1 : 1;
  }
  return 0;
}

/** Where a definition comes from, and for whom. Files and code are shared by every scope. */
export interface Candidate {
  source: "API" | "FILE" | "CODE";
  scope: Scope;
  enabled: boolean;
}

export const candidateVerdicts = ["WON", "OUTRANKED", "DISABLED", "OTHER_SCOPE"] as const;
export type CandidateVerdict = (typeof candidateVerdicts)[number];

const sourceRank = { API: 0, FILE: 1, CODE: 2 } as const;

/**
 * Orders the candidates for one name at one scope and says of each why it won or lost. A disabled definition is passed over
 * as if it were not there. Agents made by the API are exact: only the complete scope they were made at, or the project
 * alone, finds them.
 */
export function rankCandidates<C extends Candidate>(
  kind: ConfigKind,
  candidates: readonly C[],
  { scope, declaredKeys }: { scope: Scope; declaredKeys: readonly string[] },
): { candidate: C; verdict: CandidateVerdict }[] {
  const ranked = [...candidates].sort(
    (a, b) => sourceRank[a.source] - sourceRank[b.source] || compareScopes(a.scope, b.scope, declaredKeys),
  );
  let decided = false;
  return ranked.map((candidate) => {
    if (!appliesAt(kind, candidate, scope)) return { candidate, verdict: "OTHER_SCOPE" };
    if (!candidate.enabled) return { candidate, verdict: "DISABLED" };
    if (decided) return { candidate, verdict: "OUTRANKED" };
    decided = true;
    return { candidate, verdict: "WON" };
  });
}

/** Whether a definition is one of those that a scope finds. */
export function appliesAt(kind: ConfigKind, { source, scope: at }: Omit<Candidate, "enabled">, scope: Scope): boolean {
  if (source !== "API") return true;
  if (kind !== "AGENT") return isSubset(at, scope);
  const projectAlone = Object.keys(at).every((key) => key === "project");
  return sameScope(at, scope) || (projectAlone && isSubset(at, scope));
}
