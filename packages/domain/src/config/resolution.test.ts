import { describe, expect, it } from "vitest";
import { isSubset, type Scope } from "../scope.ts";
import { type Candidate, compareScopes, rankCandidates, scopeParts } from "./resolution.ts";

const declaredKeys = ["project", "team", "user"];
const whole: Scope = { project: "p", team: "t", user: "u" };
const at = { scope: whole, declaredKeys };

const api = (scope: Scope, enabled = true): Candidate => ({ source: "API", scope, enabled });
const shared = (source: "FILE" | "CODE"): Candidate => ({ source, scope: {}, enabled: true });
const winner = (candidates: readonly Candidate[], kind: "TOOL" | "AGENT" = "TOOL") =>
  rankCandidates(kind, candidates, at).find(({ verdict }) => verdict === "WON")?.candidate ?? null;

/** Every order of a list. */
function orders<T>(list: readonly T[]): T[][] {
  if (list.length < 2) return [[...list]];
  return list.flatMap((first, i) => orders(list.filter((_, j) => j !== i)).map((rest) => [first, ...rest]));
}

it("finds every part of a scope once, itself first and the empty one last", () => {
  const parts = scopeParts(whole);
  expect(parts).toHaveLength(8);
  expect(new Set(parts.map((part) => JSON.stringify(part))).size).toBe(8);
  expect(parts.every((part) => isSubset(part, whole))).toBe(true);
  expect([parts[0], parts.at(-1)]).toEqual([whole, {}]);
  expect(scopeParts({})).toEqual([{}]);
});

describe("the order of scopes", () => {
  it("is total over the parts of a scope, and nobody's position depends on where it stood before", () => {
    const parts = scopeParts({ project: "p", team: "t", user: "u", zone: "z" });
    for (const a of parts)
      for (const b of parts) {
        const forth = Math.sign(compareScopes(a, b, declaredKeys));
        // Adding 0 makes -0 the 0 that it is.
        expect(forth).toBe(-Math.sign(compareScopes(b, a, declaredKeys)) + 0);
        expect(forth === 0).toBe(JSON.stringify(a) === JSON.stringify(b));
        for (const c of parts)
          if (forth < 0 && compareScopes(b, c, declaredKeys) < 0)
            expect(compareScopes(a, c, declaredKeys)).toBeLessThan(0);
      }
  });

  it("puts more keys first, then the earlier declared key", () => {
    expect(compareScopes({ project: "p", user: "u" }, { team: "t" }, declaredKeys)).toBeLessThan(0);
    expect(compareScopes({ project: "p", team: "t" }, { project: "p", user: "u" }, declaredKeys)).toBeLessThan(0);
    expect(compareScopes({ team: "t" }, { user: "u" }, ["user", "team"])).toBeGreaterThan(0);
  });
});

describe("a name", () => {
  const [deep, byTeam, byUser, alone, global] = [
    api(whole),
    api({ project: "p", team: "t" }),
    api({ project: "p", user: "u" }),
    api({ project: "p" }),
    api({}),
  ];

  it("is found in the same place in whatever order the definitions come", () => {
    for (const order of orders([byUser, byTeam, alone, shared("FILE"), shared("CODE")]))
      expect(winner(order)).toBe(byTeam);
  });

  it("is what the deepest scope says, then the project, the installation, the file, the code", () => {
    const left: Candidate[] = [deep, byTeam, byUser, alone, global, shared("FILE"), shared("CODE")];
    const found: Candidate[] = [];
    while (left.length > 0) {
      const won = winner(left);
      if (won === null) break;
      found.push(won);
      left.splice(left.indexOf(won), 1);
    }
    expect(found.map(({ source, scope }) => [source, Object.keys(scope).length])).toEqual([
      ["API", 3],
      ["API", 2],
      ["API", 2],
      ["API", 1],
      ["API", 0],
      ["FILE", 0],
      ["CODE", 0],
    ]);
    expect(found[1]).toBe(byTeam);
  });

  it("is not found in another scope, nor in a deeper one than the request's", () => {
    expect(winner([api({ project: "other" }), api({ ...whole, more: "m" })])).toBeNull();
  });

  it("passes over what is disabled, and says so", () => {
    const verdicts = rankCandidates("TOOL", [api(whole, false), alone, shared("FILE")], at);
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(["DISABLED", "WON", "OUTRANKED"]);
  });
});

describe("an agent made by the API", () => {
  it("is exact: the whole scope or the project alone, never a part between", () => {
    expect(winner([api({ project: "p", team: "t" })], "AGENT")).toBeNull();
    expect(winner([api({})], "AGENT")).not.toBeNull();
    expect(winner([api({ project: "p" })], "AGENT")).not.toBeNull();
    expect(winner([api({ project: "p" }), api(whole)], "AGENT")?.scope).toEqual(whole);
    expect(winner([api({ project: "p", team: "t" }), shared("FILE")], "AGENT")?.source).toBe("FILE");
  });
});
