import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type ConfigKind, defaultsName, EntityName } from "@wheelhouse/domain";
import { type FileDefinition, type Parsed, parseDefinition, parseDefinitions, parseSkill } from "./parse-definition.ts";
import type { RegistryIssue } from "./registry-issue.ts";
import type { Environment } from "./substitute-variables.ts";

/** Larger files are not definitions. Bytes. */
export const maxFileBytes = 1_000_000;
const maxSkillFiles = 200;

/** The folder of a workspace that holds its definitions. */
export const definitionsFolder = ".wheelhouse";

/** Folders with a file for each definition, and files with all of a kind. */
export const definitionFolders = { agents: "AGENT", tools: "TOOL", skills: "SKILL" } as const;
export const definitionLists = {
  "providers.yaml": "PROVIDER",
  "mcp.yaml": "MCP_SERVER",
  "sandbox.yaml": "SANDBOX_PROFILE",
} as const;
export const defaultsFile = "defaults.yaml";

/** A definition and when its file was last changed. */
export interface ReadDefinition extends FileDefinition {
  writtenAt: Date;
}

/**
 * Reads the definitions of a folder: `agents/`, `tools/`, `skills/`, `providers.yaml`, `mcp.yaml`, `sandbox.yaml`,
 * `defaults.yaml`. What is wrong is said with file and line and left out; the rest is read. `place` stands before the
 * names of files. A folder that is not there has no definitions.
 */
export async function readDefinitions(
  folder: string,
  { place, env }: { place: string; env: Environment },
): Promise<{ definitions: ReadDefinition[]; issues: RegistryIssue[] }> {
  const reader = new Reader(folder, place, env);
  for (const [sub, kind] of Object.entries(definitionFolders)) await reader.folder(sub, kind);
  for (const [file, kind] of Object.entries(definitionLists))
    await reader.file(file, (text) => parseDefinitions(kind, text));
  await reader.file(defaultsFile, (text) => parseDefinition("DEFAULTS", defaultsName, text));
  return { definitions: [...reader.definitions.values()], issues: reader.issues };
}

class Reader {
  readonly definitions = new Map<string, ReadDefinition>();
  readonly issues: RegistryIssue[] = [];
  readonly #folder: string;
  readonly #place: string;
  readonly #env: Environment;

  constructor(folder: string, place: string, env: Environment) {
    this.#folder = folder;
    this.#place = place;
    this.#env = env;
  }

  async folder(sub: string, kind: ConfigKind): Promise<void> {
    const endings = kind === "AGENT" ? /\.(yaml|yml|md)$/ : /\.(yaml|yml)$/;
    for (const entry of await this.#list(sub)) {
      const isSkill = kind === "SKILL" && entry.isFolder;
      if (!isSkill && (entry.isFolder || !endings.test(entry.name))) continue;
      const path = `${sub}/${entry.name}`;
      const name = EntityName.safeParse(isSkill ? entry.name : entry.name.replace(endings, ""));
      if (!name.success)
        this.#refuse(path, `the file's name is the definition's: ${name.error.issues[0]?.message ?? "is not a name"}`);
      else if (isSkill) await this.#skill(name.data, path);
      else await this.file(path, (text) => parseDefinition(kind, name.data, text));
    }
  }

  /** Reads one file, when it is there. */
  async file(path: string, parse: (text: { file: string; text: string; env: Environment }) => Parsed): Promise<void> {
    const read = await this.#text(path);
    if (read !== null) this.#add(parse({ file: this.#named(path), text: read.text, env: this.#env }), read.writtenAt);
  }

  async #skill(name: string, path: string): Promise<void> {
    const entries = await readdir(join(this.#folder, path), { recursive: true });
    const files = new Map<string, string>();
    let writtenAt = new Date(0);
    const paths: string[] = [];
    for (const entry of entries.map((file) => file.replaceAll("\\", "/")).sort()) {
      if (entry.split("/").some((part) => part.startsWith("."))) continue;
      if (!(await stat(join(this.#folder, path, entry))).isDirectory()) paths.push(entry);
    }
    if (paths.length > maxSkillFiles) return this.#refuse(path, `has more than ${maxSkillFiles} files`);
    if (!paths.includes("SKILL.md")) return this.#refuse(path, "has no SKILL.md");
    for (const file of paths) {
      const read = await this.#text(`${path}/${file}`);
      if (read === null) return;
      files.set(file, read.text);
      if (read.writtenAt > writtenAt) writtenAt = read.writtenAt;
    }
    this.#add(parseSkill(name, this.#named(path), files), writtenAt);
  }

  #add({ definitions, issues }: Parsed, writtenAt: Date): void {
    this.issues.push(...issues);
    for (const definition of definitions) {
      const key = `${definition.kind}/${definition.name}`;
      const other = this.definitions.get(key);
      if (other === undefined) this.definitions.set(key, { ...definition, writtenAt });
      else
        this.issues.push({
          ...{ file: definition.file, line: null },
          message: `${definition.name} is defined by ${other.file} already`,
        });
    }
  }

  async #text(path: string): Promise<{ text: string; writtenAt: Date } | null> {
    try {
      const full = join(this.#folder, path);
      const { size, mtime } = await stat(full);
      if (size > maxFileBytes) {
        this.#refuse(path, `is larger than ${maxFileBytes.toLocaleString("en")} bytes`);
        return null;
      }
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
        new Uint8Array(await readFile(full)),
      );
      return { text, writtenAt: mtime };
    } catch (error) {
      if (isMissing(error) && !path.includes("/")) return null;
      this.#refuse(path, `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    }
  }

  async #list(sub: string): Promise<{ name: string; isFolder: boolean }[]> {
    try {
      const entries = await readdir(join(this.#folder, sub), { withFileTypes: true });
      // Links count as files: reading says whether they lead to one.
      const found = entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
      return found.sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  readonly #named = (path: string): string => (this.#place === "" ? path : `${this.#place}/${path}`);
  readonly #refuse = (path: string, message: string): void => {
    this.issues.push({ file: this.#named(path), line: null, message });
  };
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";
