import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Scope } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import { z } from "zod";
import { type ReadDefinition, readDefinitions } from "./read-definitions.ts";
import type { RegistryIssue } from "./registry-issue.ts";
import type { Environment } from "./substitute-variables.ts";
import { definitionFiles, type WritableDefinition, yamlOf } from "./write-definitions.ts";
import { readYaml } from "./yaml-text.ts";

/** A definition and whom it is for. */
export interface ScopedDefinition extends WritableDefinition {
  scope: Scope;
}

const scopesFolder = "scopes";
const scopeFile = "scope.yaml";

/**
 * A project's definitions as files: those of the project at the top, those of each other scope in a folder below
 * `scopes/` whose `scope.yaml` names it. There `project: true` stands for the project, whatever its name is.
 */
export function configFolderFiles(definitions: readonly ScopedDefinition[], project: string): Map<string, string> {
  const layers = new Map<string, ScopedDefinition[]>();
  for (const one of definitions) {
    const folder = folderOf(one.scope, project);
    layers.set(folder, [...(layers.get(folder) ?? []), one]);
  }
  const files = new Map<string, string>();
  for (const [folder, own] of layers) {
    const [first] = own;
    if (folder !== "" && first !== undefined)
      files.set(`${folder}/${scopeFile}`, yamlOf(writtenScope(first.scope, project)));
    for (const [file, text] of definitionFiles(own)) files.set(folder === "" ? file : `${folder}/${file}`, text);
  }
  return files;
}

function folderOf(scope: Scope, project: string): string {
  const entries = Object.entries(scope).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 1 && scope.project === project) return "";
  const shown = entries.map(([key, value]) => (key === "project" ? key : `${key}-${value}`)).join("_");
  const readable = shown.replaceAll(/[^A-Za-z0-9_-]/g, "-").slice(0, 60);
  return `${scopesFolder}/${readable === "" ? "all" : readable}-${scopeKeyOf(scope).slice(0, 8)}`;
}

const writtenScope = (scope: Scope, project: string): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(scope).map(([key, value]) => [key, key === "project" && value === project ? true : value]),
  );

/** Reads such a folder for a project. What is wrong is said with its place; whoever imports stops at it. */
export async function readConfigFolder(
  folder: string,
  { project, env }: { project: string; env: Environment },
): Promise<{ definitions: (ScopedDefinition & { place: ReadDefinition })[]; issues: RegistryIssue[] }> {
  const definitions: (ScopedDefinition & { place: ReadDefinition })[] = [];
  const issues: RegistryIssue[] = [];
  for (const place of ["", ...(await scopeFolders(folder))]) {
    const { scope, issue } = place === "" ? { scope: { project } } : await readScope(folder, place, project);
    if (scope === undefined) {
      issues.push(issue);
      continue;
    }
    const read = await readDefinitions(join(folder, place), { place, env });
    issues.push(...read.issues);
    for (const one of read.definitions)
      definitions.push({
        ...{ kind: one.kind, name: one.name, enabled: one.enabled },
        definition: one.written,
        scope,
        place: one,
      });
  }
  return { definitions, issues };
}

async function scopeFolders(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(join(folder, scopesFolder), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => `${scopesFolder}/${entry.name}`);
    return folders.sort();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

const WrittenScope = z.record(z.string(), z.union([z.string(), z.literal(true)]));

type ReadScope = { scope: Scope; issue?: undefined } | { scope?: undefined; issue: RegistryIssue };

async function readScope(folder: string, place: string, project: string): Promise<ReadScope> {
  const file = `${place}/${scopeFile}`;
  const refuse = (message: string): ReadScope => ({ issue: { file, line: null, message } });
  let yaml: string;
  try {
    yaml = await readFile(join(folder, file), "utf8");
  } catch (error) {
    return refuse(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const read = readYaml({ file, yaml, firstLine: 1, env: {} });
  if ("message" in read) return { issue: read };
  const written = WrittenScope.safeParse(read.value);
  const scope = Scope.safeParse(
    Object.fromEntries(
      Object.entries(written.data ?? {}).map(([key, value]) => [
        key,
        value === true && key === "project" ? project : value,
      ]),
    ),
  );
  if (!written.success || !scope.success)
    return refuse("give each scope key its value, and `project: true` for the project");
  return { scope: scope.data };
}
