import { describe, expect, it } from "vitest";
import { artifactPlace } from "./artifact.ts";

describe("the place of an artifact", () => {
  it("is found by its route, or by its kind", () => {
    const report = { path: "/artifacts/report.md", kind: "ARTIFACT", name: "report.md" };
    for (const given of ["/artifacts/report.md", "artifacts/report.md", "report.md"])
      expect(artifactPlace(given)).toEqual(report);
    expect(artifactPlace("a/b.txt", "FILE")).toEqual({ path: "/files/a/b.txt", kind: "FILE", name: "b.txt" });
    expect(artifactPlace("/evals/x", "EVALUATION")).toMatchObject({ kind: "EVALUATION" });
    // A name like a route's is a name where nothing is below it.
    expect(artifactPlace("files")).toMatchObject({ path: "/artifacts/files", kind: "ARTIFACT" });
  });

  it("is one for all spellings of a letter, and two for two cases", () => {
    expect(artifactPlace("e\u0301.txt")).toEqual(artifactPlace("\u00e9.txt"));
    expect(artifactPlace("A.txt").path).not.toBe(artifactPlace("a.txt").path);
  });

  const refused: Record<string, string> = {
    "a way up": "../secret",
    "a way up in the middle": "files/../../etc/passwd",
    "a way up behind a route": "/files/..",
    "a name that is a dot": "files/./a",
    "an absolute path": "/etc/passwd",
    "a route without a name": "/files",
    "an empty path": "",
    "a slash": "/",
    "an empty name": "files//a",
    "two slashes in front": "//files/a",
    "a slash at the end": "files/a/",
    "2,000 characters": "a".repeat(2_000),
    "a name of 256 bytes": `files/${"é".repeat(128)}`,
    NUL: "files/a\0b",
    "a line break": "files/a\nb",
    "a name that reads the other way": "files/\u202egnp.exe",
    "a backslash": "files\\a",
    "a drive": "C:\\a",
    "a device": "files/NUL",
    "a device with an ending": "con.txt",
    "a device in the middle": "files/COM1/a",
    "a dot at the end": "files/a.",
    "a space at the end": "files/a ",
    "half a letter": "files/\ud800",
  };
  for (const [what, path] of Object.entries(refused))
    it(`is not ${what}`, () => {
      expect(() => artifactPlace(path)).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
    });

  it("is not one of another kind than its route's", () => {
    expect(() => artifactPlace("/policies/rules.md", "FILE")).toThrow(/POLICY/);
  });
});
