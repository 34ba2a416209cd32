import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { type CuttableLink, openLink } from "./cuttable-link.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const startDeadlineMs = 60_000;
const stopDeadlineMs = 20_000;

/** A database of its own, and how to be rid of it. */
export interface ProductDatabase {
  url: string;
  remove(): Promise<void>;
}

/** The product as a user runs it: one process, on a database of its own, reached through a link that can be cut. */
export interface Product extends AsyncDisposable {
  /** What the browser opens. */
  readonly url: string;
  readonly link: CuttableLink;
  /** The one-time path that makes the owner, as the server printed it at its first start. */
  readonly ownerPath: string;
  /** Everything the process has written since its last start. */
  output(): string;
  /** SIGKILL: the process has no chance to say goodbye. */
  kill(): Promise<void>;
  /** Starts the process again on the same database and the same port. */
  start(): Promise<void>;
}

export interface ProductOptions {
  database: ProductDatabase;
  /** Folder with `wheelhouse.config.ts` and `.wheelhouse/`, relative to the repository. */
  workspace: string;
}

/** Starts the product and waits until it is ready. */
export async function openProduct({ database, workspace }: ProductOptions): Promise<Product> {
  const dataFolder = mkdtempSync(join(tmpdir(), "wheelhouse-e2e-"));
  const link = await openLink(() => port);
  const url = `http://127.0.0.1:${link.port}`;
  let port = 0;
  let child: ChildProcess | undefined;
  let written = "";

  const start = async (): Promise<void> => {
    written = "";
    const process = spawn(globalThis.process.execPath, ["--import", "tsx", "apps/server/src/main.ts", "serve"], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: globalThis.process.env.PATH,
        HOME: globalThis.process.env.HOME,
        NODE_ENV: "production",
        DATABASE_URL: database.url,
        WHEELHOUSE_AUTO_MIGRATE: "true",
        WHEELHOUSE_SECRET: "a secret of tests, long enough for it",
        WHEELHOUSE_DATA_DIR: dataFolder,
        WHEELHOUSE_WORKSPACE: join(root, workspace),
        HOST: "127.0.0.1",
        PORT: String(port),
        PUBLIC_URL: url,
        LOG_FORMAT: "json",
        NO_COLOR: "1",
      },
    });
    child = process;
    const collect = (chunk: Buffer): void => {
      written += chunk;
    };
    process.stdout.on("data", collect);
    process.stderr.on("data", collect);
    await ready(process, port, () => written);
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child?.once("exit", () => resolve()));
    const insist = setTimeout(() => child?.kill("SIGKILL"), stopDeadlineMs);
    child.kill(signal);
    await ended;
    clearTimeout(insist);
  };

  const dispose = async (): Promise<void> => {
    await end("SIGTERM");
    await link[Symbol.asyncDispose]();
    await database.remove();
    rmSync(dataFolder, { recursive: true, force: true });
  };
  try {
    port = await freePort();
    await start();
    const ownerPath = /\/setup\?token=[\w-]+/.exec(written)?.[0];
    if (ownerPath === undefined) throw new Error(`The server printed no one-time link:\n${written}`);
    return {
      url,
      link,
      ownerPath,
      output: () => written,
      kill: () => end("SIGKILL"),
      start,
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** A SQLite file in a folder of its own. */
export function sqliteDatabase(): ProductDatabase {
  const folder = mkdtempSync(join(tmpdir(), "wheelhouse-e2e-sqlite-"));
  return {
    url: `file:${join(folder, "wheelhouse.db")}`,
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A new database of the server that TEST_POSTGRES_URL names. */
export async function postgresDatabase(): Promise<ProductDatabase> {
  const server = process.env.TEST_POSTGRES_URL;
  if (!server) throw new Error("TEST_POSTGRES_URL names no server; npm test starts one");
  const name = `wheelhouse_e2e_${process.pid}_${Date.now()}`;
  const run = async (sql: string): Promise<void> => {
    const client = new Client({ connectionString: server });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await run(`CREATE DATABASE "${name}"`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.toString(), remove: () => run(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`) };
}

async function freePort(): Promise<number> {
  await using probe = await openLink(() => 0);
  return probe.port;
}

async function ready(child: ChildProcess, port: number, output: () => string): Promise<void> {
  const deadline = Date.now() + startDeadlineMs;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill("SIGKILL");
  throw new Error(`The server was not ready:\n${output()}`);
}
