// biome-ignore-all lint/suspicious/noTemplateCurlyInString: definitions may hold what looks like a variable
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { canonicalJson, type Scope } from "@wheelhouse/domain";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { configFolderFiles, readConfigFolder, type ScopedDefinition } from "./config-folder.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "wheelhouse-folder-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function put(files: ReadonlyMap<string, string>): Promise<void> {
  for (const [file, text] of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
}

const at = (
  scope: Scope,
  kind: ScopedDefinition["kind"],
  name: string,
  definition: Record<string, unknown>,
  enabled = true,
) => ({
  ...{ scope, kind, name, definition, enabled },
});

const sorted = (definitions: readonly ScopedDefinition[]): string[] =>
  definitions
    .map(({ kind, name, scope, enabled, definition }) => canonicalJson({ kind, name, scope, enabled, definition }))
    .sort();

/** Writes them for one project, and reads them for another. */
async function moved(definitions: readonly ScopedDefinition[], from = "acme", to = "acme") {
  await put(configFolderFiles(definitions, from));
  return readConfigFolder(folder, { project: to, env: { HOME: "elsewhere" } });
}

const acme = { project: "acme" };
const prompt = "# You\n\nAre ${KIND}.\n---\nAlways.";
const skill = "---\nname: letters\ndescription: Letters\n---\nDear ${NAME}\n";
const all: ScopedDefinition[] = [
  at(acme, "AGENT", "guide", { systemPrompt: prompt, model: { provider: "scripted", model: "guide" } }),
  at(acme, "AGENT", "spaced", { systemPrompt: "  not trimmed\r\n" }),
  at(acme, "AGENT", "bare", {}),
  at({ ...acme, user: "u/7 ü" }, "AGENT", "guide", { description: "no", systemPrompt: "Mine" }),
  at(acme, "TOOL", "orders", { type: "http", description: "$${a} ${b}", url: "https://example.com" }),
  at(acme, "SKILL", "letters", { description: "Letters", body: skill }),
  at(acme, "SKILL", "headless", { description: "d", body: "No head" }),
  at(acme, "SKILL", "many", {
    description: "d",
    files: { "SKILL.md": "---\ndescription: d\n---\n", "a/b.py": "x\t\u2028\n" },
  }),
  at({}, "PROVIDER", "main", { type: "openai", model: "0.5", apiKeyEnv: "KEY" }, false),
  at(acme, "PROVIDER", "main", { type: "ollama", model: "true", extra: { a: [1.5e30, null, { "": -0.1 }] } }),
  at({ user: "acme" }, "MCP_SERVER", "docs", { url: "https://example.com/mcp" }),
  at(acme, "SANDBOX_PROFILE", "box", { backend: "none" }, false),
  at(acme, "DEFAULTS", "default", { provider: "main", agent: { interruptOn: {} } }),
];

describe("a project's definitions as files", () => {
  it("are the same when they are read again, and pleasant to read", async () => {
    const { definitions, issues } = await moved(all);
    expect(issues).toEqual([]);
    expect(sorted(definitions)).toEqual(sorted(all));
    const files = [...configFolderFiles(all, "acme").keys()];
    expect(files).toEqual(expect.arrayContaining(["agents/guide.md", "skills/letters/SKILL.md", "skills/many/a/b.py"]));
    expect(files).toEqual(expect.arrayContaining(["agents/spaced.yaml", "skills/headless.yaml", "providers.yaml"]));
  });

  it("belong to the project that reads them", async () => {
    const { definitions } = await moved(all, "acme", "other");
    const there = ({ scope, ...rest }: ScopedDefinition) => ({
      ...rest,
      scope: scope.project ? { ...scope, project: "other" } : scope,
    });
    expect(sorted(definitions)).toEqual(sorted(all.map(there)));
  });

  it("hold whatever text and value there is", async () => {
    const piece = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 20 }),
      fc.constantFrom("${", "$", "}", "---", "\n", ": "),
    );
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
    const extra = fc.dictionary(
      fc.string({ minLength: 1, maxLength: 8 }).filter((key) => key.trim() !== "" && key !== "__proto__"),
      fc.jsonValue({ maxDepth: 3, noUnicodeString: false }),
      { maxKeys: 4 },
    );
    await fc.assert(
      fc.asyncProperty(text, text, extra, async (description, systemPrompt, schema) => {
        await rm(folder, { recursive: true, force: true });
        const one = at(acme, "AGENT", "a", { description, systemPrompt, inputSchema: schema });
        const { definitions, issues } = await moved([one]);
        expect(issues).toEqual([]);
        expect(sorted(definitions)).toEqual(sorted([one]));
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ["no scope.yaml", undefined, /scopes\/x\/scope\.yaml: cannot be read/],
    ["a number", "user: 7\n", /give each scope key its value/],
    ["a key that is none", "User Name: x\n", /give each scope key its value/],
    ["broken YAML", "user: [\n", /scope\.yaml:\d: /],
  ])("say when a scope is wrong: %s", async (_, text, expected) => {
    await put(
      new Map([
        ["scopes/x/defaults.yaml", "{}"],
        ...(text === undefined ? [] : [["scopes/x/scope.yaml", text] as const]),
      ]),
    );
    const { definitions, issues } = await readConfigFolder(folder, { project: "acme", env: {} });
    expect(definitions).toEqual([]);
    expect(issues.map(({ file, line, message }) => `${file}${line === null ? "" : `:${line}`}: ${message}`)).toEqual([
      expect.stringMatching(expected),
    ]);
  });
});
