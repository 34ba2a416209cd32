import { access } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { langgraphFile, loadLanggraphJson } from "./load-langgraph-json.ts";
import type { RegistryIssue } from "./registry-issue.ts";
import type { CodeAgent, WorkspaceConfig } from "./workspace-config.ts";

/** In this order; the first that exists is the workspace's. */
const configFiles = ["wheelhouse.config.ts", "wheelhouse.config.mts", "wheelhouse.config.js", "wheelhouse.config.mjs"];

const CodeAgentShape = z.custom<CodeAgent>((value) => typeof value === "object" && value !== null && "graph" in value, {
  error: "must be an object with a graph",
});
const ToolShape = z.custom<{ name: string }>(
  (value) => typeof value === "object" && value !== null && "name" in value && typeof value.name === "string",
  { error: "must be a LangChain tool with a name" },
);
const Config = z.strictObject({
  agents: z.record(z.string(), CodeAgentShape).default({}),
  tools: z.array(ToolShape).readonly().default([]),
});

export interface LoadedConfig {
  config: Required<WorkspaceConfig>;
  /** The file that each agent in code comes from, relative to the workspace, by the agent's name. */
  files: Readonly<Record<string, string>>;
  issues: RegistryIssue[];
}

/**
 * Loads what a workspace has in code: its `wheelhouse.config.ts` and the graphs of its `langgraph.json` whose names that
 * does not take (the process must run with a loader for TypeScript). A file that throws or exports something else is
 * reported, and the workspace goes on with its other files.
 */
export async function loadWorkspaceConfig(workspaceDir: string): Promise<LoadedConfig> {
  const [own, described] = [await loadConfigFile(workspaceDir), await loadLanggraphJson(workspaceDir)];
  const placed = (agents: object, file: string) => Object.fromEntries(Object.keys(agents).map((name) => [name, file]));
  return {
    config: { ...own.config, agents: { ...described.agents, ...own.config.agents } },
    files: { ...placed(described.agents, langgraphFile), ...placed(own.config.agents, own.file ?? "") },
    issues: [...own.issues, ...described.issues],
  };
}

interface ConfigFile {
  config: Required<WorkspaceConfig>;
  file: string | null;
  issues: RegistryIssue[];
}

async function loadConfigFile(workspaceDir: string): Promise<ConfigFile> {
  const nothing = { agents: {}, tools: [] };
  const file = await findConfig(workspaceDir);
  if (file === null) return { config: nothing, file, issues: [] };
  const refuse = (message: string): ConfigFile => ({
    config: nothing,
    file,
    issues: [{ file, line: null, message }],
  });
  let loaded: unknown;
  try {
    loaded = await import(pathToFileURL(join(workspaceDir, file)).href);
  } catch (error) {
    return refuse(`cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
  }
  const exported = z.looseObject({ default: z.unknown() }).safeParse(loaded);
  const parsed = Config.safeParse(exported.data?.default);
  if (!parsed.success) return refuse(`export default defineConfig({…}): ${z.prettifyError(parsed.error)}`);
  const names = parsed.data.tools.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) return refuse(`tools: two tools are named ${twice}`);
  return { config: parsed.data, file, issues: [] };
}

async function findConfig(workspaceDir: string): Promise<string | null> {
  for (const file of configFiles) {
    try {
      await access(join(workspaceDir, file));
      return file;
    } catch {
      // The next name may be there.
    }
  }
  return null;
}
