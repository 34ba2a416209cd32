import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { workspace } from "./api-world.ts";
import type { TestDatabase } from "./databases.ts";

const main = fileURLToPath(new URL("../../apps/server/src/main.ts", import.meta.url));

/** The real server in a process of its own. */
export interface ServerProcess {
  child: ChildProcess;
  url: string;
  /** Everything it printed. */
  output(): string;
  /** Resolves to what it ended with. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export const environmentOf = (database: TestDatabase): NodeJS.ProcessEnv => ({
  NODE_ENV: "production",
  PATH: process.env.PATH ?? "",
  DATABASE_URL: database.url,
  PORT: "0",
  WHEELHOUSE_DATA_DIR: database.folder,
  WHEELHOUSE_WORKSPACE: workspace,
  WHEELHOUSE_SECRET: "a secret that only tests know, long enough",
  WHEELHOUSE_AUTO_MIGRATE: "true",
  WHEELHOUSE_DRAIN_SECONDS: "0",
  LOG_FORMAT: "json",
});

/** What Node is given to run the command. */
export const commandArguments = (args: readonly string[]): string[] => ["--import", "tsx", main, ...args];

/** Runs the command to its end. */
export async function runCommand(
  database: TestDatabase,
  args: string[],
  input = "",
  environment: Record<string, string> = {},
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, commandArguments(args), {
    env: { ...environmentOf(database), ...environment },
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  child.stdin.end(input);
  const [code] = await once(child, "close");
  return { code, out, err };
}

/** Starts the server and waits until it says where it is. */
export async function startServer(
  database: TestDatabase,
  environment: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<ServerProcess> {
  const child = spawn(process.execPath, ["--import", "tsx", main, "serve", ...args], {
    env: { ...environmentOf(database), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once("close", (code, signal) => resolve({ code, signal })),
  );
  const url = await new Promise<string>((resolve, reject) => {
    const look = (chunk: unknown) => {
      output += chunk;
      const found = /"url":"([^"]+)"/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    void ended.then(() => reject(new Error(`the server ended before it was ready:\n${output}`)));
  });
  return { child, url, output: () => output, ended };
}
