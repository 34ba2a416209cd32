import { join } from "node:path";
import { digestOf } from "@wheelhouse/domain/digest";
import type { AgentRegistry, ResolvedAgent } from "./agent-registry.ts";
import { assembleAgent } from "./assemble-agent.ts";
import { type RegistryLimits, resolveCodeAgent } from "./code-agent.ts";
import { withDefaultModel } from "./default-model.ts";
import type { DefinitionLookup, SharedDefinition } from "./definition-lookup.ts";
import { definitionsFolder, type ReadDefinition, readDefinitions } from "./read-definitions.ts";
import type { RegistryIssue } from "./registry-issue.ts";
import type { Environment } from "./substitute-variables.ts";
import type { CodeAgent } from "./workspace-config.ts";

export interface RegistryOptions {
  /** The folder that holds `.wheelhouse/`. */
  workspaceDir: string;
  /** From `wheelhouse.config.ts`, by name. */
  codeAgents?: Readonly<Record<string, CodeAgent>>;
  /** The file that each of them comes from, relative to the workspace, by name; `wheelhouse.config.ts` when absent. */
  codeFiles?: Readonly<Record<string, string>>;
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

const codeFile = "wheelhouse.config.ts";
const defaultLimits: RegistryLimits = { recursionLimit: 100, timeoutSeconds: 600, maxPayloadBytes: 262_144 };

/** Opens the definitions of a workspace: those of its files, and those in code whose names the files do not take. */
export async function openRegistry(options: RegistryOptions): Promise<WorkspaceRegistry> {
  let loaded = await load(options);
  let generation = 0;
  return {
    resolveAgent: async (name) => loaded.agents.get(name) ?? null,
    sharedAgents: async () => [...loaded.agents.values()],
    shared: (kind, name) => loaded.shared.get(`${kind}/${name}`) ?? [],
    allShared: () => [...loaded.shared.values()].flat(),
    hasHostTool: (name) => loaded.hostTools?.has(name) ?? true,
    limits: limitsOf(options),
    get generation() {
      return generation;
    },
    issues: () => loaded.issues,
    reload: async () => {
      loaded = await load(options);
      generation++;
    },
  };
}

interface Loaded {
  agents: Map<string, ResolvedAgent>;
  /** By kind and name. */
  shared: Map<string, SharedDefinition[]>;
  /** Null when they are not known here. */
  hostTools: ReadonlySet<string> | null;
  issues: RegistryIssue[];
}

const limitsOf = (options: RegistryOptions): RegistryLimits => ({ ...defaultLimits, ...options.limits });

async function load(options: RegistryOptions): Promise<Loaded> {
  const limits = limitsOf(options);
  const codeFileOf = (name: string): string => options.codeFiles?.[name] ?? codeFile;
  const issues: RegistryIssue[] = [];
  const inCode = new Map<string, ResolvedAgent>();
  for (const [name, agent] of Object.entries(options.codeAgents ?? {})) {
    try {
      inCode.set(name, resolveCodeAgent(name, agent, { file: codeFileOf(name), limits }));
    } catch (error) {
      issues.push({
        file: codeFileOf(name),
        line: null,
        message: error instanceof Error ? error.message : String(error),
      });
    }
  }
  const read = await readDefinitions(join(options.workspaceDir, definitionsFolder), {
    ...{ place: definitionsFolder, env: withDefaultModel(options.env) },
  });
  issues.push(...read.issues);
  const hostTools = options.toolNames === undefined ? null : new Set(options.toolNames);
  const inFiles = read.definitions.filter(({ enabled }) => enabled);
  const shared = new Map<string, SharedDefinition[]>();
  for (const one of [...inFiles.map(sharedFile), ...sharedCode(inCode, hostTools)])
    shared.set(`${one.kind}/${one.name}`, [...(shared.get(`${one.kind}/${one.name}`) ?? []), one]);
  const agents = new Map(inCode);
  for (const { kind, name, file, lineOf } of inFiles) {
    const [found] = kind === "AGENT" ? (shared.get(`AGENT/${name}`) ?? []) : [];
    if (found === undefined) continue;
    const { agent, issues: wrong } = await assembleAgent(found, sharedLookup(shared, hostTools), { limits });
    if (agent === null) agents.delete(name);
    else agents.set(name, agent);
    for (const { path, message } of wrong)
      issues.push({ file, line: lineOf(path), message: path === "" ? message : `${path}: ${message}` });
  }
  return { agents, shared, hostTools, issues };
}

const sharedFile = ({ kind, name, file, written, writtenAt }: ReadDefinition): SharedDefinition => ({
  ...{ kind, name, source: "FILE", definition: written, revision: null },
  ...{ digest: digestOf(written), place: file, updatedAt: writtenAt },
});

/** What the host program brings, said as definitions: its agents by their description, its tools by their name. */
function sharedCode(agents: ReadonlyMap<string, ResolvedAgent>, tools: ReadonlySet<string> | null): SharedDefinition[] {
  const code = { source: "CODE", revision: null, updatedAt: new Date(performance.timeOrigin) } as const;
  const ofAgents = [...agents.values()].map((agent): SharedDefinition => {
    const { name, displayName, description, inputSchema, outputSchema, busyPolicy, manifest } = agent;
    const said = { displayName, description, inputSchema, outputSchema, busyPolicy };
    const definition = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null));
    const place = manifest.sources.agent ?? codeFile;
    return { ...code, kind: "AGENT", name, definition, digest: manifest.digest, place };
  });
  const ofTools = [...(tools ?? [])].map((name): SharedDefinition => {
    const definition = { type: "code", tool: name };
    return { ...code, kind: "TOOL", name, definition, digest: digestOf(definition), place: codeFile };
  });
  return [...ofAgents, ...ofTools];
}

/** What names mean where nothing was defined but by files and code. */
const sharedLookup = (
  shared: ReadonlyMap<string, readonly SharedDefinition[]>,
  hostTools: ReadonlySet<string> | null,
): DefinitionLookup => ({
  find: async (names) => {
    const keys = new Set(names.map(({ kind, name }) => `${kind}/${name}`));
    return [...keys].flatMap((key) => shared.get(key)?.slice(0, 1) ?? []);
  },
  providers: async () => [...shared.values()].flatMap(([first]) => (first?.kind === "PROVIDER" ? [first] : [])),
  hasHostTool: (name) => hostTools?.has(name) ?? true,
});
