import type { Authority } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import { describe, expect, it } from "vitest";
import { partsOf, visibleTo } from "./models.ts";

const scope = { project: "acme", user: "u-1" };
const caller: Authority = {
  projectId: "p",
  reach: "EXACT",
  scope,
  scopeKey: scopeKeyOf(scope),
  role: "VIEWER",
  visibilities: ["END_USER"],
  actor: { kind: "API_KEY", id: "k", name: "key" },
};

describe("visibleTo", () => {
  it("leaves an exact caller its own scope, and the agents of its scope's parts", () => {
    const visible = visibleTo(caller);
    expect(visible.session).toEqual({ projectId: "p", scopeKey: caller.scopeKey });
    expect(visible.step).toEqual({ projectId: "p", session: { scopeKey: caller.scopeKey } });
    expect(visible.event).toMatchObject({ visibility: { in: ["END_USER"] }, session: { scopeKey: caller.scopeKey } });
    expect(visible.agent).toEqual({
      projectId: "p",
      scopeKey: { in: [scopeKeyOf({ project: "acme" }), caller.scopeKey] },
    });
  });

  it("names the project in every clause", () => {
    // What has no project of its own has that of its artifact.
    for (const reach of ["EXACT", "PROJECT"] as const)
      for (const clause of Object.values(visibleTo({ ...caller, reach })))
        expect("artifact" in clause ? clause.artifact : clause).toMatchObject({ projectId: "p" });
  });
});

describe("partsOf", () => {
  it("gives every part that names the project", () => {
    expect(partsOf({ project: "a", team: "t", user: "u" })).toEqual([
      { project: "a" },
      { project: "a", user: "u" },
      { project: "a", team: "t" },
      { project: "a", team: "t", user: "u" },
    ]);
  });
});
