// Installs what the lock file names, and does nothing when that is what is there. The comparison is by content, not by
// time, so a checkout that touches the lock file costs nothing and an `npm install` by hand counts.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CommandFailed, runCommand } from "./child-processes.mjs";
import { timedStep } from "./timed-steps.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Brings node_modules to what package-lock.json says. */
export async function installDependencies() {
  const missing = missingPackages();
  if (missing.length > 0) {
    const afresh = inCi || !existsSync(join(root, "node_modules/.package-lock.json"));
    const reason = afresh ? "takes a few minutes" : `${missing[0]} is not as the lock file says`;
    // What is there already is kept: `ci` would remove and compile everything again for one new package.
    const command = afresh ? ["ci"] : ["install", "--no-save"];
    await timedStep(`Installing dependencies (${reason})`, () =>
      runCommand(npm, [...command, "--no-audit", "--no-fund", "--loglevel=error"], { cwd: root, shell: onWindows }),
    );
  }
  await rebuildForThisNode();
}

const inCi = /^(1|true)$/i.test(process.env.CI ?? "");
const onWindows = process.platform === "win32";
const npm = onWindows ? "npm.cmd" : "npm";

function missingPackages() {
  const wanted = packagesOf("package-lock.json");
  const present = existsSync(join(root, "node_modules/.package-lock.json"))
    ? packagesOf("node_modules/.package-lock.json")
    : {};
  return Object.entries(wanted)
    .filter(([path, entry]) => {
      if (path === "" || !path.includes("node_modules/")) return false;
      // Builds for other systems are in the lock file but never installed here.
      if (present[path] === undefined) return !entry.optional && !entry.devOptional && !entry.peer;
      return present[path].version !== entry.version;
    })
    .map(([path]) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length));
}

const packagesOf = (file) => JSON.parse(readFileSync(join(root, file), "utf8")).packages;

/** The SQLite driver is compiled for one Node; after a change of Node it has to be built again. */
async function rebuildForThisNode() {
  try {
    await runCommand(process.execPath, ["-e", "new (require('better-sqlite3'))(':memory:').close()"], {
      cwd: root,
      quiet: true,
    });
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    await timedStep(`Building the SQLite driver for Node ${process.versions.node}`, () =>
      runCommand(npm, ["rebuild", "better-sqlite3"], { cwd: root, quiet: true, shell: onWindows }),
    );
  }
}
