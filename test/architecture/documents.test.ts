import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventTypes, failureCodes } from "@wheelhouse/domain";
import { buildSchema, parse, validate } from "graphql";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { readRepositoryFile, repositoryFiles, repositoryRoot } from "./repository.ts";

const files = repositoryFiles();
const folders = new Set(files.flatMap((file) => file.split("/").map((_, i, parts) => parts.slice(0, i).join("/"))));
const topFolders = new Set([...folders].filter((folder) => folder !== "" && !folder.includes("/")));
const documents = files
  .filter((file) => file.endsWith(".md"))
  .map((file) => ({ file, text: readRepositoryFile(file) }));
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readRepositoryFile("package.json")));

const exists = (path: string): boolean => {
  const plain = path.replace(/^\.\//, "").replace(/\/$/, "");
  if (!plain.includes("*")) return files.includes(plain) || folders.has(plain);
  const pattern = new RegExp(`^${plain.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*")}(/|$)`);
  return files.some((file) => pattern.test(file));
};
const fences = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map((match) => match[1] ?? "");
const withoutFences = (text: string): string => text.replaceAll(/^```.*?^```/gms, "");
const codeSpans = (text: string): string[] =>
  [...withoutFences(text).matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? "");

/** Files that users of the product have, and agents write. */
const usersFiles = new Set([
  "SKILL.md",
  "defaults.yaml",
  "langgraph.json",
  "mcp.yaml",
  "providers.yaml",
  "report.md",
  "sandbox.yaml",
  "scope.yaml",
]);

describe.each(documents)("$file", ({ file, text }) => {
  const here = file.includes("/") ? file.slice(0, file.lastIndexOf("/") + 1) : "";

  it("names only files and folders that exist", () => {
    const missing = codeSpans(text).filter((span) => {
      const path = /^[\w.@*[\]()-]+(\/[\w.@*[\]()-]+)*\/?$/.test(span) ? span : undefined;
      if (path === undefined) return false;
      if (topFolders.has(path.split("/")[0] ?? "") && path.includes("/")) return !exists(path);
      // Made by npm run generate, not tracked; and a kind of file, not a file.
      if (/(^|\/)generated\//.test(path) || path.startsWith(".") || usersFiles.has(path)) return false;
      // A bare file name, or the end of a path, as prose uses it.
      if (/\.(tsx?|mjs|md|json|graphql|prisma|ya?ml|sql)$/.test(path)) {
        return !files.some((each) => each === path || each.endsWith(`/${path}`));
      }
      return false;
    });
    expect(missing).toEqual([]);
  });

  it("links only to what exists", () => {
    const broken = [...withoutFences(text).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)]*)?\)/g)]
      .map((match) => match[1] ?? "")
      .filter((target) => !exists(new URL(target, `file:///${here}`).pathname.slice(1)));
    expect(broken).toEqual([]);
  });

  it("names only npm scripts that exist", () => {
    const named = [...text.matchAll(/\bnpm (?:run )?(start|test)\b|\bnpm run ([\w:-]+)/g)];
    expect(named.map((match) => match[1] ?? match[2] ?? "").filter((name) => !(name in scripts))).toEqual([]);
  });

  it("names only variables that .env.example explains", () => {
    const known = readRepositoryFile(".env.example");
    const named = text.match(/\b(WHEELHOUSE|DATABASE)_[A-Z_]*[A-Z]\b/g) ?? [];
    expect(named.filter((name) => !known.includes(`${name}=`))).toEqual([]);
  });

  it("shows only GraphQL that the server understands", () => {
    const schema = buildSchema(readRepositoryFile("apps/server/schema.graphql"));
    const errors = fences(text, "graphql").flatMap((source) => validate(schema, parse(source)));
    expect(errors.map((error) => error.message)).toEqual([]);
  });

  it("sends only requests that the server understands", () => {
    const schema = buildSchema(readRepositoryFile("apps/server/schema.graphql"));
    const bodies = fences(text, "sh").flatMap((source) => [...source.matchAll(/ -d '(.*?)'/gs)]);
    const errors = bodies.flatMap(([, body = ""]) => {
      const { query } = z.object({ query: z.string() }).parse(JSON.parse(body));
      return validate(schema, parse(query));
    });
    expect(errors.map((error) => error.message)).toEqual([]);
  });

  it("shows only JSON that parses", () => {
    for (const source of fences(text, "json")) expect(() => JSON.parse(source)).not.toThrow();
  });
});

describe("the guides", () => {
  it("list every failure code, and whether it may be tried again", () => {
    const rows = [...readRepositoryFile("docs/operations.md").matchAll(/^\| `([A-Z_]+)` \|.*\| (yes|no) \|$/gm)];
    const said = Object.fromEntries(rows.map(([, code, retryable]) => [code, { retryable: retryable === "yes" }]));
    expect(said).toEqual(failureCodes);
  });

  it("list every event type", () => {
    const text = readRepositoryFile("docs/events-and-cursors.md");
    expect(eventTypes.filter((type) => !text.includes(`\`${type}\``))).toEqual([]);
  });
});

describe("the examples in TypeScript", () => {
  const folder = mkdtempSync(join(repositoryRoot, "test/architecture/.fixture-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("type-check", () => {
    const write = (name: string, content: string): void => writeFileSync(join(folder, name), content);
    const examples = documents
      .filter(({ file }) => file === "README.md" || file.startsWith("docs/"))
      .flatMap(({ file, text }) => fences(text, "ts").map((source, i) => ({ name: `${file}-${i}`, source })));
    expect(examples.length).toBeGreaterThan(2);
    for (const { name, source } of examples) write(`${name.replaceAll(/[/.]/g, "-")}.ts`, source);
    write("my-graph.ts", "export const graph = {};");
    write("tsconfig.json", JSON.stringify({ extends: "../../../tsconfig.base.json", include: ["*.ts"] }));
    const tsc = join(repositoryRoot, "node_modules/@typescript/native/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", folder, "--noEmit"], { encoding: "utf8" });
    expect(stdout).toBe("");
  }, 120_000);
});
