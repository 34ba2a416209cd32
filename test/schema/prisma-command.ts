import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Prisma's command line costs seconds of a processor each time; a busy machine may take long over a few of them. */
export const commandDeadline = 180_000;

/** Runs `npm run migrate -- <args>` (without npm) and gives its exit code and everything that it printed. */
export function migrateCommand(
  args: readonly string[],
  env: { DATABASE_URL: string; DATABASE_SCHEMA?: string },
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["scripts/migrate.mjs", ...args], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}
