import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDatabase, type TestDatabase } from "./databases.ts";
import { runCommand } from "./server-process.ts";

const deadlineMs = 300_000;
let folder: string;
let here: TestDatabase;
let elsewhere: TestDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "wheelhouse-config-"));
  [here, elsewhere] = await Promise.all([makeDatabase("sqlite"), makeDatabase("sqlite")]);
  for (const { code, err } of await Promise.all([
    runCommand(here, ["migrate", "deploy"]),
    runCommand(elsewhere, ["migrate", "deploy"]),
  ]))
    expect({ code, err }).toEqual({ code: 0, err: "" });
}, deadlineMs);
afterAll(async () => {
  await rm(folder, { recursive: true });
  await Promise.all([here[Symbol.asyncDispose](), elsewhere[Symbol.asyncDispose]()]);
});

async function put(files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
}

const config = (database: TestDatabase, ...args: string[]) => runCommand(database, ["config", ...args]);

const definitions = {
  "in/providers.yaml": "main: {type: scripted, model: guide, priority: 3}\n",
  "in/agents/writer.md": "---\nprovider: main\ntools: [orders]\n---\n\nWrite.\n",
  "in/tools/orders.yaml": "type: http\ndescription: Lists orders\nurl: https://example.com/orders\n",
  "in/scopes/mine/scope.yaml": "project: true\n",
  "in/scopes/mine/agents/own.yaml": "enabled: false\nprovider: main\n",
  "in/defaults.yaml": "agent: {recursionLimit: 9}\n",
};

describe("definitions as files", () => {
  it(
    "move from a folder to a project, to a folder, to another installation, and are the same there",
    async () => {
      await put(definitions);
      const dry = await config(here, "import", join(folder, "in"), "--dry-run", "--json");
      expect({ code: dry.code, err: dry.err }).toEqual({ code: 0, err: "" });
      expect(JSON.parse(dry.out)).toMatchObject({ dryRun: true, unchanged: 0 });
      const done = await config(here, "import", join(folder, "in"), "--reason", "the first");
      expect(done).toMatchObject({ code: 0, err: "" });
      expect(done.out.trim().split("\n").sort()).toEqual([
        "+ AGENT own",
        "+ AGENT writer",
        "+ DEFAULTS default",
        "+ PROVIDER main",
        "+ TOOL orders",
        "0 definitions are the same",
      ]);
      const out = join(folder, "out");
      expect(await config(here, "export", out)).toMatchObject({ code: 0, out: `Wrote 5 definitions to ${out}\n` });
      expect(await readFile(join(out, "agents/writer.md"), "utf8")).toContain("\n---\n\nWrite.\n");
      expect(await config(here, "export", out)).toMatchObject({
        code: 1,
        err: expect.stringContaining("is not empty"),
      });
      expect(await config(elsewhere, "diff", out)).toMatchObject({ code: 1, err: "" });
      expect(await config(elsewhere, "import", out)).toMatchObject({ code: 0, err: "" });
      expect(await config(elsewhere, "diff", out)).toEqual({ code: 0, err: "", out: "5 definitions are the same\n" });
    },
    deadlineMs,
  );

  it(
    "change and remove what differs, when they are told to",
    async () => {
      const changed = "main: {type: scripted, model: guide, priority: 4}\n";
      await put({ ...definitions, "in/providers.yaml": changed });
      await rm(join(folder, "in/agents/writer.md"));
      const kept = await config(here, "import", join(folder, "in"));
      expect(kept).toMatchObject({ code: 0, out: "~ PROVIDER main\n3 definitions are the same\n" });
      const pruned = await config(here, "import", join(folder, "in"), "--prune");
      expect(pruned).toMatchObject({ code: 0, out: "- AGENT writer\n4 definitions are the same\n" });
    },
    deadlineMs,
  );

  it(
    "are refused as a whole, each mistake with its file and line",
    async () => {
      const wrong = (files: Record<string, string>) =>
        rm(join(folder, "wrong"), { recursive: true, force: true }).then(() => put(files));
      await wrong({ "wrong/agents/a.yaml": "provider: main\nmodle: x\n", "wrong/agents/b.yaml": "provider: main\n" });
      const unread = await config(elsewhere, "import", join(folder, "wrong"));
      expect(unread).toMatchObject({ code: 1, out: "", err: expect.stringMatching(/^agents\/a\.yaml:1: .*modle/) });
      await wrong({
        "wrong/agents/a.yaml": "provider: main\ntools:\n  - orders\n  - rocket\n",
        "wrong/agents/b.yaml": "{}",
      });
      const unknown = await config(elsewhere, "import", join(folder, "wrong"));
      expect(unknown).toMatchObject({
        code: 1,
        out: "",
        err: "agents/a.yaml:4: tools[1]: there is no tool named rocket here\nNothing was imported.\n",
      });
      expect((await config(elsewhere, "diff", join(folder, "out"))).code).toBe(0);
      const nowhere = await config(elsewhere, "import", join(folder, "out"), "--project", "nowhere");
      expect(nowhere).toMatchObject({ code: 1, err: "There is no project nowhere\n" });
    },
    deadlineMs,
  );

  it(
    "are checked without a database, those of the workspace with what they name",
    async () => {
      expect(await config(here, "validate")).toEqual({ code: 0, out: "Nothing is wrong\n", err: "" });
      await put({ "bad/mcp.yaml": "docs:\n\turl: x\n" });
      const bad = await config(here, "validate", join(folder, "bad"), "--json");
      expect(bad).toMatchObject({ code: 1, err: "" });
      expect(JSON.parse(bad.out).issues).toMatchObject([{ file: "mcp.yaml", line: 2 }]);
    },
    deadlineMs,
  );
});
