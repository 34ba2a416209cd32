import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InMemoryStore } from "@langchain/langgraph";
import { type BackendProtocolV2, CompositeBackend, FilesystemBackend, StoreBackend } from "deepagents";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FilesInMemory, filesInMemory } from "../../test/files-in-memory.ts";
import { ArtifactBackend } from "./artifact-backend.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "wheelhouse-backend-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Deep Agents' own backends are the reference: what differs fails there or here. */
const backends: Record<string, (name: string) => BackendProtocolV2> = {
  "Deep Agents' store": () => new StoreBackend({ store: new InMemoryStore(), namespace: ["files"] }),
  "Deep Agents' folder": (name) => new FilesystemBackend({ rootDir: join(folder, name), virtualMode: true }),
  "the artifacts of a scope": () => {
    const files = filesInMemory();
    return new ArtifactBackend("ARTIFACT", () => files);
  },
};

interface Case {
  files: Record<string, string>;
  act: (backend: BackendProtocolV2) => unknown;
  answer: unknown;
}

const error = (words: RegExp) => ({ error: expect.stringMatching(words) });
const paths = (found: { files?: { path: string }[] }) => found.files?.map(({ path }) => path).sort();
const content = async (backend: BackendProtocolV2, path: string) => (await backend.read(path, 0, 100)).content;
const five = "one\ntwo\nthree\nfour\nfive\n";
const tree = { "/a.md": "A", "/b.txt": "B", "/deep/c.md": "C", "/deep/er/d.md": "D", "/.hidden.md": "H" };

const cases: Record<string, Case> = {
  "a file that is not there is not read": {
    files: {},
    act: (backend) => backend.read("/none.md"),
    answer: error(/not found|no such file/i),
  },
  "a file is read with the numbers of its lines, and nothing follows the last": {
    files: { "/a.md": five },
    act: (backend) => backend.read("/a.md", 0, 100),
    answer: { content: five, mimeType: "text/markdown", totalLines: 5, startLine: 1, endLine: 5 },
  },
  "an offset leaves lines out, a limit ends, and the next offset is told": {
    files: { "/a.md": five },
    act: (backend) => backend.read("/a.md", 1, 2),
    answer: { content: "two\nthree", totalLines: 5, startLine: 2, endLine: 3, nextOffset: 3 },
  },
  "an offset below zero begins at the beginning": {
    files: { "/a.md": five },
    act: (backend) => backend.read("/a.md", -3, 1),
    answer: { content: "one", startLine: 1, endLine: 1, nextOffset: 1 },
  },
  "letters of every alphabet are kept": {
    files: { "/a.txt": "żółw 🐢\r\n龟\ttab" },
    act: (backend) => content(backend, "/a.txt"),
    answer: "żółw 🐢\r\n龟\ttab",
  },
  "writing again replaces the whole": {
    files: { "/a.txt": "a long first text" },
    act: async (backend) => [await backend.write("/a.txt", "short"), await content(backend, "/a.txt")],
    answer: [{ path: "/a.txt", filesUpdate: null }, "short"],
  },
  "a picture is written as base64 and read as bytes": {
    files: { "/dot.png": "iVBORw0KGgo=" },
    act: (backend) => backend.read("/dot.png"),
    answer: { mimeType: "image/png", content: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
  },
  "one place is edited": {
    files: { "/a.txt": "red green blue" },
    act: async (backend) => [await backend.edit("/a.txt", "green", "$& grey"), await content(backend, "/a.txt")],
    answer: [{ path: "/a.txt", filesUpdate: null, occurrences: 1 }, "red $& grey blue"],
  },
  "a text that stands twice is not edited, unless all are meant": {
    files: { "/a.txt": "x y x" },
    act: async (backend) => [
      await backend.edit("/a.txt", "x", "z"),
      await backend.edit("/a.txt", "x", "z", true),
      await content(backend, "/a.txt"),
    ],
    answer: [error(/multiple occurrences \(appears 2 times\)/), expect.objectContaining({ occurrences: 2 }), "z y z"],
  },
  "a text that is not there is not edited": {
    files: { "/a.txt": "x" },
    act: (backend) => backend.edit("/a.txt", "y", "z"),
    answer: error(/String not found in file: 'y'/),
  },
  "nothing is no text to replace": {
    files: { "/a.txt": "x" },
    act: (backend) => backend.edit("/a.txt", "", "z"),
    answer: error(/cannot be empty/),
  },
  "a file that is not there is not edited": {
    files: {},
    act: (backend) => backend.edit("/none.txt", "x", "z"),
    answer: error(/not found|no such file/i),
  },
  "a folder lists its files and folders, not what is below them": {
    files: tree,
    act: async (backend) => paths(await backend.ls("/")),
    answer: ["/.hidden.md", "/a.md", "/b.txt", "/deep/"],
  },
  "a folder is listed with and without its slash, and is no beginning of a name": {
    files: { ...tree, "/deeper.md": "E" },
    act: async (backend) => [paths(await backend.ls("/deep")), paths(await backend.ls("/deep/"))],
    answer: [
      ["/deep/c.md", "/deep/er/"],
      ["/deep/c.md", "/deep/er/"],
    ],
  },
  "a folder that is not there is empty": { files: tree, act: (backend) => backend.ls("/none"), answer: { files: [] } },
  "a listing tells sizes": {
    files: { "/a.txt": "12345" },
    act: (backend) => backend.ls("/"),
    answer: { files: [expect.objectContaining({ path: "/a.txt", is_dir: false, size: 5 })] },
  },
  "a star stays in its folder": {
    files: tree,
    act: async (backend) => paths(await backend.glob("*.md")),
    answer: ["/.hidden.md", "/a.md"],
  },
  "two stars go down": {
    files: tree,
    act: async (backend) => paths(await backend.glob("**/*.md")),
    answer: ["/.hidden.md", "/a.md", "/deep/c.md", "/deep/er/d.md"],
  },
  "braces and question marks choose": {
    files: tree,
    act: async (backend) => [paths(await backend.glob("{a,b}.*")), paths(await backend.glob("?.md"))],
    answer: [["/a.md", "/b.txt"], ["/a.md"]],
  },
  "a pattern is sought below a folder": {
    files: tree,
    act: async (backend) => paths(await backend.glob("*.md", "/deep")),
    answer: ["/deep/c.md"],
  },
  "a search is literal, and tells lines": {
    files: { "/a.txt": "a.c\nabc\na.c again", "/b.txt": "abc" },
    act: async (backend) => (await backend.grep("a.c")).matches,
    answer: [
      { path: "/a.txt", line: 1, text: "a.c" },
      { path: "/a.txt", line: 3, text: "a.c again" },
    ],
  },
  "a search keeps to its folder and its kind of file": {
    files: { "/x.md": "hit", "/deep/y.md": "hit", "/deep/z.txt": "hit" },
    act: async (backend) => (await backend.grep("hit", "/deep", "*.md")).matches,
    answer: [{ path: "/deep/y.md", line: 1, text: "hit" }],
  },
  "a search stops at its limit and says so": {
    files: { "/a.txt": "hit\nhit\nhit" },
    act: (backend) => backend.grep("hit", "/", null, 2),
    answer: { matches: [expect.anything(), expect.anything()], truncated: true },
  },
  "a search that finds nothing is no error": {
    files: { "/a.txt": "x" },
    act: async (backend) => (await backend.grep("y")).matches,
    answer: [],
  },
  "a file is deleted, and its neighbour is not": {
    files: { "/a.md": "A", "/a.md.txt": "B" },
    act: async (backend) => [await backend.delete?.("/a.md"), paths(await backend.ls("/"))],
    answer: [expect.objectContaining({ path: "/a.md" }), ["/a.md.txt"]],
  },
  "a folder is deleted with all that is below": {
    files: tree,
    act: async (backend) => [await backend.delete?.("/deep"), paths(await backend.glob("**/*.md"))],
    answer: [expect.objectContaining({ path: "/deep" }), ["/.hidden.md", "/a.md"]],
  },
  "what is not there is not deleted": {
    files: {},
    act: (backend) => backend.delete?.("/none"),
    answer: error(/not found/),
  },
  "bytes are handed in and out": {
    files: {},
    act: async (backend) => {
      await backend.uploadFiles?.([["/a.txt", new TextEncoder().encode("up")]]);
      const [found, missing] = (await backend.downloadFiles?.(["/a.txt", "/none.txt"])) ?? [];
      return [new TextDecoder().decode(found?.content ?? undefined), missing?.error];
    },
    answer: ["up", "file_not_found"],
  },
};

describe.each(Object.entries(backends))("files in %s", (where, open) => {
  it.each(Object.entries(cases))("%s", async (title, { files, act, answer }) => {
    const backend = open(`${where} ${Object.keys(cases).indexOf(title)}`);
    for (const [path, text] of Object.entries(files)) expect((await backend.write(path, text)).error).toBeUndefined();
    const given = await act(backend);
    if (Array.isArray(answer) || typeof answer === "string") expect(given).toEqual(answer);
    else expect(given).toMatchObject(answer as object);
  });
});

describe("artifacts as files", () => {
  let files: FilesInMemory;
  const mounted = (): BackendProtocolV2 => {
    files = filesInMemory();
    return new CompositeBackend(new StoreBackend({ store: new InMemoryStore(), namespace: ["rest"] }), {
      "/artifacts/": new ArtifactBackend("ARTIFACT", () => files),
      "/policies/": new ArtifactBackend("POLICY", () => files),
      "/evals/": new ArtifactBackend("EVALUATION", () => files),
    });
  };

  it.each([
    "/artifacts/../scratch/a",
    "/artifacts/./a",
    "/artifacts//etc/passwd",
    "/artifacts/a\0b",
    "/artifacts/a\\b",
    "/artifacts/",
    "/artifacts",
  ])("are not at %j, which is told and not thrown", async (path) => {
    const backend = mounted();
    for (const answer of [await backend.write(path, "x"), await backend.edit(path, "x", "y"), await backend.read(path)])
      expect(answer.error).toMatch(/is not possible: must not/);
    for await (const file of files.list("/")) expect(file).toBeUndefined();
  });

  it("are not overwritten when somebody else was faster", async () => {
    const backend = mounted();
    await backend.write("/artifacts/a.txt", "mine");
    files.raced("/artifacts/a.txt", "theirs");
    expect((await backend.edit("/artifacts/a.txt", "mine", "ours")).error).toMatch(/at the same time.*Read it again/);
    files.raced("/artifacts/a.txt", "theirs again");
    expect((await backend.write("/artifacts/a.txt", "ours")).error).toMatch(/nothing of yours was written/);
    expect(await content(backend, "/artifacts/a.txt")).toBe("theirs again");
    expect((await backend.write("/artifacts/a.txt", "ours")).error).toBeUndefined();
  });

  it("are read and not changed where they are policies", async () => {
    const backend = mounted();
    await files.write("/policies/rules.md", new TextEncoder().encode("Be kind."), 0);
    expect(await content(backend, "/policies/rules.md")).toBe("Be kind.");
    const changes = [
      await backend.write("/policies/rules.md", "x"),
      await backend.edit("/policies/rules.md", "kind", "x"),
      await backend.delete?.("/policies/rules.md"),
    ];
    for (const change of changes) expect(change?.error).toMatch(/can be read and not (changed|deleted)/);
    expect(await backend.uploadFiles?.([["/policies/b.md", new Uint8Array(1)]])).toMatchObject([
      { error: "permission_denied" },
    ]);
    expect(await content(backend, "/policies/rules.md")).toBe("Be kind.");
  });

  it("are kept where they are evidence, and a whole route is never deleted at once", async () => {
    const backend = mounted();
    await backend.write("/evals/a.md", "poor");
    await backend.write("/artifacts/a.md", "x");
    expect((await backend.delete?.("/evals/a.md"))?.error).toMatch(/not deleted/);
    expect((await backend.delete?.("/artifacts/"))?.error).toMatch(/is not possible/);
    expect(await content(backend, "/evals/a.md")).toBe("poor");
    expect(await content(backend, "/artifacts/a.md")).toBe("x");
  });

  it("are left out of a search when they are no text", async () => {
    const backend = mounted();
    const bodies = { "/artifacts/zero.txt": [0x68, 0x69, 0x00], "/artifacts/latin.txt": [0x68, 0x69, 0xff] };
    for (const [path, body] of Object.entries(bodies)) {
      await files.write(path, new Uint8Array(body), 0);
      expect((await backend.read(path)).mimeType).toBe("application/octet-stream");
    }
    expect((await backend.grep("hi", "/artifacts")).matches).toEqual([]);
  });
});
