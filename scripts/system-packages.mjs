// What the tests need beside npm's packages comes from the system's own package manager, where we may use it.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { runCommand } from "./child-processes.mjs";

let listsAreFresh = false;

/**
 * Installs a Debian package. Answers undefined, or the reason why it could not.
 * @param {{ before?: Record<string, string> }} options `before`: files to write first, unless they exist
 */
export async function aptInstall(name, { before = {} } = {}) {
  if (process.getuid?.() !== 0) return `${name} could be installed by root only`;
  if (!existsSync("/usr/bin/apt-get")) return "there is no apt-get";
  console.log(`  installing the Debian package ${name}`);
  const options = { quiet: true, env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  try {
    if (!listsAreFresh) await runCommand("apt-get", ["update", "-q"], options);
    listsAreFresh = true;
    for (const [path, content] of Object.entries(before)) {
      if (existsSync(path)) continue;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
    await runCommand("apt-get", ["install", "-y", "-q", "--no-install-recommends", name], options);
    return undefined;
  } catch (error) {
    return `apt-get could not install ${name}: ${error.message.split("\n").at(-1)}`;
  }
}
