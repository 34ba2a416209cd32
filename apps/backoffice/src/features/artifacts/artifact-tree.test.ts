import { describe, expect, it } from "vitest";
import { folderOf, foldersOf, treeLines } from "./artifact-tree.ts";

const rows = ["/artifacts/a.md", "/artifacts/sub/deep/b.md", "/artifacts/sub.txt", "/files/c.csv"].map((path) => ({
  ...{ id: path, path },
}));
const shown = (...given: Parameters<typeof treeLines<(typeof rows)[number]>>) =>
  treeLines(...given).map((line) =>
    line.kind === "folder"
      ? `${"  ".repeat(line.depth)}${line.open ? "-" : "+"} ${line.name} (${line.count})`
      : `${"  ".repeat(line.depth)}${line.row.path}`,
  );

describe("the tree of artifacts", () => {
  it("has the folders first, and in them what lies there", () => {
    expect(shown(rows, new Set())).toEqual([
      "- artifacts (3)",
      "  - sub (1)",
      "    - deep (1)",
      "      /artifacts/sub/deep/b.md",
      "  /artifacts/a.md",
      "  /artifacts/sub.txt",
      "- files (1)",
      "  /files/c.csv",
    ]);
  });

  it("keeps the content of a closed folder back, and begins where it is told to", () => {
    expect(shown(rows, new Set(["/artifacts/sub/", "/files/"]))).toEqual([
      ...["- artifacts (3)", "  + sub (1)", "  /artifacts/a.md", "  /artifacts/sub.txt", "+ files (1)"],
    ]);
    expect(shown(rows.slice(1, 2), new Set(), "/artifacts/sub/")).toEqual([
      ...["- deep (1)", "  /artifacts/sub/deep/b.md"],
    ]);
  });

  it("knows the folders on the way", () => {
    expect(foldersOf("/files/a/")).toEqual([
      { name: "files", path: "/files/" },
      { name: "a", path: "/files/a/" },
    ]);
    expect(folderOf("/files/a/b.txt")).toBe("/files/a/");
  });
});
