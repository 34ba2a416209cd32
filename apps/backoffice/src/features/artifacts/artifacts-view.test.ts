import { describe, expect, it } from "vitest";
import { isFiltered, noFilters, readView, toArtifactFilter, writeView } from "./artifacts-view.ts";

const read = (query: string) => readView(new URLSearchParams(query));

describe("the address of the artifacts page", () => {
  it("is read back as it was written, and leaves other parameters alone", () => {
    const params = new URLSearchParams("at=Artifact_2");
    const view = {
      ...{ as: "list", text: "report", kinds: ["FILE", "MEMORY"], folder: "/files/a/", sessionId: "Session_1" },
      ...{ runId: "Run_1", artifact: "Artifact_1", version: 3, tab: "changes", from: 1, source: true },
    } satisfies ReturnType<typeof readView>;
    writeView(params, view);
    expect(readView(params)).toEqual({ ...view, kinds: ["FILE", "MEMORY"] });
    expect(params.get("at")).toBe("Artifact_2");
    writeView(params, { artifact: null, version: null, tab: "preview", from: null, source: false, as: "tree" });
    expect(params.toString()).toBe(
      "at=Artifact_2&kind=FILE&kind=MEMORY&q=report&folder=%2Ffiles%2Fa%2F&session=Session_1&run=Run_1",
    );
  });

  it("leaves out what nobody can have meant", () => {
    expect(read("kind=NONSENSE&version=-1&from=x&folder=files&tab=other&view=other")).toEqual(read(""));
  });

  it("becomes the conditions of the list", () => {
    expect(toArtifactFilter(read("q=+a+&kind=FILE&folder=%2Ffiles%2F&session=S&run=R"))).toEqual({
      ...{ text: "a", kinds: ["FILE"], pathPrefix: "/files/", sessionId: "S", runId: "R" },
    });
    expect(isFiltered(read("q=a"))).toBe(true);
    expect(isFiltered({ ...read("q=a&kind=FILE&folder=%2Ffiles%2F"), ...noFilters })).toBe(false);
  });
});
