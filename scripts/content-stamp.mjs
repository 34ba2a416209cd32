// Tells whether something has to be made again, by the content of what it is made from: a stamp holds the hash of the
// inputs of the last time that it was made.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const left = new Set(["node_modules", ".next", ".data", ".cache", "test-results"]);

/**
 * @param {string} name of the stamp, one per thing that is made
 * @param {string[]} inputs files and folders, relative to the repository; what does not exist counts as absent
 * @param {string[]} outputs that must exist for the stamp to hold
 */
export function contentStamp(name, inputs, outputs) {
  const file = join(root, ".cache", `${name}.stamp`);
  const digest = () => digestOf(inputs);
  return {
    isFresh: () =>
      outputs.every((output) => existsSync(join(root, output))) &&
      existsSync(file) &&
      readFileSync(file, "utf8") === digest(),
    /** To be called before making, so that an interrupted attempt is not taken for a whole one. */
    drop: () => rmSync(file, { force: true }),
    write: () => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, digest());
    },
  };
}

function digestOf(inputs) {
  const hash = createHash("sha256").update(process.versions.node);
  for (const path of inputs.flatMap((input) => filesUnder(join(root, input)))) {
    hash.update(`\0${relative(root, path)}\0`).update(readFileSync(path));
  }
  return hash.digest("hex");
}

function filesUnder(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !left.has(entry.name) && !entry.name.endsWith(".tsbuildinfo") && entry.name !== "next-env.d.ts")
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isSymbolicLink() ? [] : filesUnder(join(path, entry.name))));
}
