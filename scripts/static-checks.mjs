// The checks that need no run of the product. Each is a command of its own so that its output is the tool's own words.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const tsc = "node_modules/@typescript/native/bin/tsc";

/** Title and arguments (to Node, in the repository's root) of each check. */
export const staticChecks = [
  { title: "Format and lint", args: ["node_modules/@biomejs/biome/bin/biome", "ci", "--error-on-warnings", "."] },
  { title: "Types", args: [tsc, "-p", ".", "--noEmit"] },
  ...readdirSync(`${root}apps`)
    .filter((app) => readdirSync(`${root}apps/${app}`).includes("tsconfig.json"))
    .map((app) => ({ title: `Types of ${app}`, args: [tsc, "-p", `apps/${app}`, "--noEmit"] })),
];
