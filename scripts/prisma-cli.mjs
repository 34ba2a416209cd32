// Runs Prisma's own command line, with the stand-in schema engine only where the native one is out of reach.
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(import.meta.url);

/** Whether a native schema engine has been downloaded into Prisma's own package. */
function hasNativeEngine() {
  const folder = dirname(require.resolve("@prisma/engines/package.json"));
  return existsSync(folder) && readdirSync(folder).some((name) => /^schema-engine-/.test(name));
}

/** The environment for Prisma's CLI: a chosen engine is kept, a native one preferred, the stand-in used otherwise. */
export function engineEnvironment(environment = process.env) {
  if (environment.PRISMA_SCHEMA_ENGINE_BINARY || hasNativeEngine()) return { ...environment };
  return { ...environment, PRISMA_SCHEMA_ENGINE_BINARY: join(root, "scripts", "schema-engine.mjs") };
}

/**
 * Runs `prisma <args>` in the repository and resolves to its exit code.
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, stdio?: import("node:child_process").StdioOptions }} [options]
 */
export function runPrisma(args, { env = process.env, stdio = "inherit" } = {}) {
  const cli = join(dirname(require.resolve("prisma/package.json")), "build", "index.js");
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli, ...args], {
      cwd: root,
      stdio,
      env: {
        ...engineEnvironment(env),
        // Generators are found by name, as npm would let them be found.
        PATH: `${join(root, "node_modules", ".bin")}${delimiter}${env.PATH ?? ""}`,
        PRISMA_HIDE_UPDATE_MESSAGE: "1",
        CHECKPOINT_DISABLE: "1",
      },
    });
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? 1));
  });
}
