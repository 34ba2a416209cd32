import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const repositoryRoot = fileURLToPath(new URL("../..", import.meta.url));

/** What git does not track, for a tree that came without git. Lock files and binaries are named where they matter. */
const untracked = new Set(["node_modules", ".git", ".next", ".cache", ".data", "generated", "test-results"]);

/** Every file of the repository, relative to its root: what git tracks or would track if it were added. */
export function repositoryFiles(): string[] {
  const files = existsSync(join(repositoryRoot, ".git"))
    ? execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
        cwd: repositoryRoot,
        encoding: "utf8",
        maxBuffer: 64 * 1024 * 1024,
      }).split("\0")
    : walk("");
  return files.filter((file) => file !== "" && isFile(join(repositoryRoot, file))).sort();
}

/** A link to a folder (the models of both schemas) is listed once, where the folder is. */
const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

const walk = (folder: string): string[] =>
  readdirSync(join(repositoryRoot, folder), { withFileTypes: true })
    .filter((entry) => !untracked.has(entry.name))
    .flatMap((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      return entry.isDirectory() ? walk(path) : [path];
    });

export const readRepositoryFile = (file: string): string => readFileSync(join(repositoryRoot, file), "utf8");

/** TypeScript and JavaScript that people wrote. */
export const sourceFiles = (): string[] => repositoryFiles().filter((file) => /\.(m?[jt]s|tsx)$/.test(file));
