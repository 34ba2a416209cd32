import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type AgentDefinition, EntityName } from "@wheelhouse/domain";
import { maxFileBytes, parseAgentFile } from "./parse-agent-file.ts";
import type { RegistryIssue } from "./registry-issue.ts";
import type { Environment } from "./substitute-variables.ts";

/** Where agents live in a workspace. */
export const agentsFolder = ".wheelhouse/agents";

export interface FileAgent {
  name: string;
  file: string;
  definition: AgentDefinition;
}

/** Reads every agent file of a workspace, in the order of their names. A workspace without any is not an error. */
export async function readWorkspace(
  workspaceDir: string,
  env: Environment,
): Promise<{ agents: FileAgent[]; issues: RegistryIssue[] }> {
  const agents = new Map<string, FileAgent>();
  const issues: RegistryIssue[] = [];
  for (const entry of await listFiles(workspaceDir)) {
    const file = `${agentsFolder}/${entry}`;
    const refuse = (message: string) => issues.push({ file, line: null, message });
    const name = EntityName.safeParse(entry.replace(/\.(yaml|yml|md)$/, ""));
    if (!name.success) {
      refuse(`the file's name is the agent's: ${name.error.issues[0]?.message ?? "it is not a name"}`);
      continue;
    }
    const other = agents.get(name.data);
    if (other !== undefined) {
      refuse(`the agent ${name.data} is defined by ${other.file} already`);
      continue;
    }
    try {
      const path = join(workspaceDir, file);
      const { size } = await stat(path);
      if (size > maxFileBytes) {
        refuse(`is larger than ${maxFileBytes.toLocaleString("en")} bytes`);
        continue;
      }
      const parsed = parseAgentFile({ file, text: await readFile(path, "utf8"), env });
      issues.push(...parsed.issues);
      if (parsed.definition !== null) agents.set(name.data, { name: name.data, file, definition: parsed.definition });
    } catch (error) {
      refuse(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { agents: [...agents.values()], issues };
}

async function listFiles(workspaceDir: string): Promise<string[]> {
  try {
    const entries = await readdir(join(workspaceDir, agentsFolder), { withFileTypes: true });
    // Links count as files: reading says whether they lead to one.
    const files = entries.filter((entry) => !entry.isDirectory() && /\.(yaml|yml|md)$/.test(entry.name));
    return files.map((entry) => entry.name).sort();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
