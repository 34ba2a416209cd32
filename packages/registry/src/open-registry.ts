import { digestOf } from "@wheelhouse/domain/digest";
import type { AgentRegistry, ResolvedAgent } from "./agent-registry.ts";
import { checkReferences, subagentsOf } from "./check-references.ts";
import { type RegistryLimits, resolveCodeAgent } from "./code-agent.ts";
import { withDefaultModel } from "./default-model.ts";
import { type FileAgent, readWorkspace } from "./read-workspace.ts";
import type { RegistryIssue } from "./registry-issue.ts";
import type { Environment } from "./substitute-variables.ts";
import type { CodeAgent } from "./workspace-config.ts";

export interface RegistryOptions {
  /** The folder that holds `.wheelhouse/`. */
  workspaceDir: string;
  /** From `wheelhouse.config.ts`, by name. */
  codeAgents?: Readonly<Record<string, CodeAgent>>;
  /** The file that code agents are said to come from, relative to the workspace. */
  codeFile?: string;
  /** Names of the tools that files may use; not checked when absent. */
  toolNames?: Iterable<string>;
  /** For `${VAR}` in files; see withDefaultModel. */
  env: Environment;
  limits?: Partial<RegistryLimits>;
}

export interface WorkspaceRegistry extends AgentRegistry {
  /** What is wrong in the workspace, and was left out because of it. */
  issues(): readonly RegistryIssue[];
  /** Reads the workspace again. Runs that were submitted keep the definitions they were pinned to. */
  reload(): Promise<void>;
}

const defaultLimits: RegistryLimits = { recursionLimit: 100, timeoutSeconds: 600, maxPayloadBytes: 262_144 };

/** Opens the agents of a workspace: those of its files, and those in code whose names the files do not take. */
export async function openRegistry(options: RegistryOptions): Promise<WorkspaceRegistry> {
  let loaded = await load(options);
  return {
    resolveAgent: async (name) => loaded.agents.get(name) ?? null,
    sharedAgents: async () => [...loaded.agents.values()],
    issues: () => loaded.issues,
    reload: async () => {
      loaded = await load(options);
    },
  };
}

async function load(
  options: RegistryOptions,
): Promise<{ agents: Map<string, ResolvedAgent>; issues: RegistryIssue[] }> {
  const limits = { ...defaultLimits, ...options.limits };
  const codeFile = options.codeFile ?? "wheelhouse.config.ts";
  const issues: RegistryIssue[] = [];
  const agents = new Map<string, ResolvedAgent>();
  for (const [name, agent] of Object.entries(options.codeAgents ?? {})) {
    try {
      agents.set(name, resolveCodeAgent(name, agent, { file: codeFile, limits }));
    } catch (error) {
      issues.push({ file: codeFile, line: null, message: error instanceof Error ? error.message : String(error) });
    }
  }
  const read = await readWorkspace(options.workspaceDir, withDefaultModel(options.env));
  const tools = options.toolNames === undefined ? null : new Set(options.toolNames);
  const checked = checkReferences(read.agents, { tools });
  issues.push(...read.issues, ...checked.issues);
  const byName = new Map(checked.agents.map((agent) => [agent.name, agent]));
  for (const agent of checked.agents) agents.set(agent.name, resolveFileAgent(agent, byName, limits));
  return { agents, issues };
}

function resolveFileAgent(
  agent: FileAgent,
  agents: ReadonlyMap<string, FileAgent>,
  { maxPayloadBytes }: RegistryLimits,
): ResolvedAgent {
  const { name, file, definition } = agent;
  const subagents = [...subagentsOf(agent, agents).values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const { recursionLimit, timeoutSeconds, recordPayloads } = definition;
  const manifest = {
    agent: name,
    source: "FILE" as const,
    revision: null,
    digest: digestOf(definition),
    definition,
    ...(subagents.length === 0 ? {} : { subagents: Object.fromEntries(subagents.map((s) => [s.name, s.definition])) }),
    sources: Object.fromEntries([["agent", file], ...subagents.map((s) => [`subagents.${s.name}`, s.file])]),
    limits: { recursionLimit, timeoutSeconds, maxPayloadBytes },
    recordPayloads,
  };
  return {
    name,
    displayName: definition.displayName ?? name,
    description: definition.description ?? null,
    source: "FILE",
    inputSchema: definition.inputSchema ?? null,
    outputSchema: definition.responseFormat ?? null,
    busyPolicy: definition.busyPolicy,
    definition,
    manifest,
    manifestDigest: digestOf(manifest),
  };
}
