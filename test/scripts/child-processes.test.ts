import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it, vi } from "vitest";
import { repositoryRoot } from "../architecture/repository.ts";

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** Runs a module in a Node of its own; its first line of output is JSON. */
async function runModule(source: string) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], { cwd: repositoryRoot, stdio: "pipe" });
  started.push(child);
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, "line")) as [string]; // what readline's event carries
  return { child, ended, said: JSON.parse(line) };
}

/** A process that has ended but was not fetched by its parent (an orphan, where process 1 does not care) is not alive. */
const isAlive = (pid: number): boolean => {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return /^[^Z]/.test(stdout.trim());
};

const holdsOnTo = `
  import { endOnSignals, onEnd, startProcess } from "./scripts/child-processes.mjs";
  import { writeFileSync, rmSync, mkdtempSync } from "node:fs";
  endOnSignals();
  const folder = mkdtempSync("/tmp/wheelhouse-script-test-");
  onEnd(() => rmSync(folder, { recursive: true }));
  // A shell that starts another program: ending the shell alone would leave it behind.
  const { child } = startProcess("sh", ["-c", "sleep 1000 & echo $!; wait"], { stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.on("data", (pid) => console.log(JSON.stringify({ folder, shell: child.pid, sleep: Number(pid) })));
`;

describe("a script", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("ends what it started, and undoes what it made, on %s", async (signal, code) => {
    const { child, ended, said } = await runModule(holdsOnTo);
    expect([isAlive(said.shell), isAlive(said.sleep), existsSync(said.folder)]).toEqual([true, true, true]);
    child.kill(signal);
    expect((await ended)[0]).toBe(code);
    await vi.waitFor(() => expect([isAlive(said.shell), isAlive(said.sleep)]).toEqual([false, false]));
    expect(existsSync(said.folder)).toBe(false);
  });
});

describe("a script under npm", () => {
  it("ends when npm is told to end, which ends only its shell", async () => {
    const shell = spawn("sh", ["-c", `"$NODE" --input-type=module -e "$SOURCE"; true`], {
      cwd: repositoryRoot,
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NODE: process.execPath, SOURCE: holdsOnTo, npm_lifecycle_event: "start" },
    });
    started.push(shell);
    const lines = createInterface({ input: shell.stdout });
    const [line] = (await once(lines, "line")) as [string]; // what readline's event carries
    const said = JSON.parse(line);
    shell.kill("SIGTERM");
    await vi.waitFor(() => expect([isAlive(said.shell), isAlive(said.sleep)]).toEqual([false, false]), 10_000);
    await vi.waitFor(() => expect(existsSync(said.folder)).toBe(false), 10_000);
  });
});

// Where there is no PostgreSQL the functions say so, and npm test has said it already.
const holdsPostgres = `
  import { endOnSignals } from "./scripts/child-processes.mjs";
  import { startThrowawayPostgres } from "./scripts/throwaway-postgres.mjs";
  endOnSignals();
  console.log(JSON.stringify(await startThrowawayPostgres()));
  setInterval(() => {}, 1000);
`;

async function acceptsConnections(url: string): Promise<boolean> {
  const { Client } = await import("pg");
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    await client.query("SELECT 1");
    await client.end();
    return true;
  } catch {
    return false;
  }
}

describe.runIf(process.env.TEST_POSTGRES_URL)("the throw-away PostgreSQL", () => {
  it("answers, and is gone after an interrupt", async () => {
    const { child, ended, said } = await runModule(holdsPostgres);
    expect(await acceptsConnections(said.url)).toBe(true);
    child.kill("SIGINT");
    await ended;
    expect(await acceptsConnections(said.url)).toBe(false);
  });

  it("of a killed run is removed by the next one", async () => {
    const first = await runModule(holdsPostgres);
    first.child.kill("SIGKILL");
    await first.ended;
    expect(await acceptsConnections(first.said.url)).toBe(true);
    const second = await runModule(holdsPostgres);
    await vi.waitFor(async () => expect(await acceptsConnections(first.said.url)).toBe(false), { timeout: 10_000 });
    second.child.kill("SIGINT");
    await second.ended;
  });
});

describe("npm start", () => {
  it("says who has the port, and does nothing else", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const child = spawn(process.execPath, ["scripts/start.mjs"], {
      cwd: repositoryRoot,
      env: { ...process.env, HOST: "127.0.0.1", PORT: String(port) },
      stdio: "pipe",
    });
    started.push(child);
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    expect((await once(child, "exit"))[0]).toBe(1);
    expect(said).toContain(`Port ${port} is taken`);
    server.close();
  });
});
