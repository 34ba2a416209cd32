import { readFile } from "node:fs/promises";
import { ConfigKind, checkDefinition, EntityName } from "@wheelhouse/domain";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const guide = await readFile(new URL("../../docs/definitions.md", import.meta.url), "utf8");
const examples = [...guide.matchAll(/```yaml\n# ([A-Z_]+) (\S+)\n([\s\S]*?)```/g)].map(
  ([, kind = "", name = "", text = ""]) => ({ kind, name, text }),
);

describe("the guide to definitions", () => {
  it("has an example of every kind that it speaks of, each with a kind and a name", () => {
    expect(examples).toHaveLength(guide.match(/```yaml/g)?.length ?? 0);
    expect(new Set(examples.map(({ kind }) => kind))).toEqual(
      new Set(["PROVIDER", "TOOL", "MCP_SERVER", "SKILL", "AGENT"]),
    );
  });

  it.each(examples)("is right about $kind $name", ({ kind, name, text }) => {
    expect(checkDefinition(ConfigKind.parse(kind), parse(text)).issues).toEqual([]);
    expect(EntityName.safeParse(name).success).toBe(true);
  });
});
