import {
  type AgentDefinition,
  type ConfigIssue,
  type ConfigKind,
  checkDefinition,
  DefaultsDefinition,
  type Definitions,
  defaultsName,
  type Manifest,
  type ModelSelection,
  ProviderDefinition,
  type ResolvedAgentDefinition,
  referencesOf,
  withDefaults,
} from "@wheelhouse/domain";
import { digestOf } from "@wheelhouse/domain/digest";
import type { ResolvedAgent } from "./agent-registry.ts";
import type { RegistryLimits } from "./code-agent.ts";
import type { DefinitionLookup, FoundDefinition } from "./definition-lookup.ts";

export type Assembled = { agent: ResolvedAgent; issues: [] } | { agent: null; issues: ConfigIssue[] };

/** How an agent's parts are named in a manifest's `sources`, by kind. */
const partNames = {
  TOOL: "tools",
  SKILL: "skills",
  AGENT: "subagents",
  MCP_SERVER: "mcpServers",
  SANDBOX_PROFILE: "sandboxProfiles",
} as const;
type PartKind = keyof typeof partNames;

interface Open {
  found: FoundDefinition;
  definition: AgentDefinition;
  /** Of its fields, in the definition of the agent that is assembled: `subagents[0]`, or nothing for itself. */
  path: string;
}

/**
 * An agent as it would run, with the definitions of everything that it names, at any depth, settled and pinned; or what is
 * wrong, all at once, by the path in its definition. `withoutProvider` lets pass that no provider is defined at all.
 */
export async function assembleAgent(
  found: FoundDefinition,
  lookup: DefinitionLookup,
  { limits, withoutProvider = false }: { limits: RegistryLimits; withoutProvider?: boolean },
): Promise<Assembled> {
  const parts = new Assembly(lookup, limits, withoutProvider);
  await parts.read(found);
  return parts.result(found);
}

class Assembly {
  readonly #lookup: DefinitionLookup;
  readonly #limits: RegistryLimits;
  readonly #withoutProvider: boolean;
  readonly #issues: ConfigIssue[] = [];
  readonly #agents = new Map<string, { found: FoundDefinition; definition: ResolvedAgentDefinition }>();
  readonly #parts = new Map<string, FoundDefinition>();
  /** Agents that were opened, whether or not they could be read. */
  readonly #seen = new Set<string>();
  #defaults: DefaultsDefinition | null = null;
  #providers: readonly FoundDefinition[] | null = null;

  constructor(lookup: DefinitionLookup, limits: RegistryLimits, withoutProvider: boolean) {
    this.#lookup = lookup;
    this.#limits = limits;
    this.#withoutProvider = withoutProvider;
  }

  /** Reads the agent and, level by level, whatever is named, so that each level is one look. */
  async read(root: FoundDefinition): Promise<void> {
    const [defaults] = await this.#lookup.find([{ kind: "DEFAULTS", name: defaultsName }]);
    this.#defaults = defaults === undefined ? null : (DefaultsDefinition.safeParse(defaults.definition).data ?? null);
    let level = this.#opened([{ found: root, path: "" }]);
    while (level.length > 0) {
      const named = level.flatMap((open) =>
        referencesOf("AGENT", open.definition).map((reference) => ({ ...reference, in: open })),
      );
      const wanted = named.filter(({ kind, name }) => !this.#parts.has(`${kind}/${name}`));
      for (const found of await this.#lookup.find(wanted)) this.#parts.set(`${found.kind}/${found.name}`, found);
      for (const open of level) await this.#settle(open);
      const next: { found: FoundDefinition; path: string }[] = [];
      for (const { kind, name, path, in: open } of named) {
        const at = joined(open.path, path);
        const part = this.#parts.get(`${kind}/${name}`);
        if (part === undefined) this.#missing(kind, name, at);
        else if (kind === "AGENT") next.push(...this.#subagent(part, at));
        else if (kind === "TOOL") this.#checkTool(part, at);
      }
      level = this.#opened(next);
    }
    this.#checkCircles(root.name);
  }

  result(root: FoundDefinition): Assembled {
    const own = this.#agents.get(root.name);
    if (own === undefined || this.#issues.length > 0) return { agent: null, issues: this.#issues };
    const { definition } = own;
    const manifest = this.#manifest(root, definition);
    return {
      agent: {
        name: root.name,
        displayName: definition.displayName ?? root.name,
        description: definition.description ?? null,
        source: root.source,
        inputSchema: definition.inputSchema ?? null,
        outputSchema: definition.responseFormat ?? null,
        busyPolicy: definition.busyPolicy,
        definition,
        manifest,
        manifestDigest: digestOf(manifest),
      },
      issues: [],
    };
  }

  /** Parses agents, with the project's defaults in them. */
  #opened(found: readonly { found: FoundDefinition; path: string }[]): Open[] {
    return found.flatMap(({ found, path }) => {
      if (this.#seen.has(found.name)) return [];
      this.#seen.add(found.name);
      const written = withDefaults(found.definition, this.#defaults);
      const checked = checkDefinition("AGENT", written);
      if (checked.definition !== null) return [{ found, definition: checked.definition, path }];
      for (const issue of checked.issues) this.#issues.push({ path: joined(path, issue.path), message: issue.message });
      return [];
    });
  }

  /** Which model it calls: its own, else that of its provider, else that of the provider of lowest priority. */
  async #settle({ found, definition, path }: Open): Promise<void> {
    this.#checkToolNames(definition, path);
    const model = definition.model ?? (await this.#modelOf(definition, path));
    if (model === null) return;
    const { temperature = model.temperature, maxTokens = model.maxTokens } = definition;
    const over = {
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
    };
    this.#agents.set(found.name, { found, definition: { ...definition, model: { ...model, ...over } } });
  }

  async #modelOf(definition: AgentDefinition, path: string): Promise<ModelSelection | null> {
    const refuse = (message: string) => {
      this.#issues.push({ path: joined(path, "provider"), message });
      return null;
    };
    const { provider: name } = definition;
    if (name !== undefined) {
      const found = this.#parts.get(`PROVIDER/${name}`);
      // That it is missing is said with the other names.
      return found === undefined ? null : modelOfProvider(ProviderDefinition.parse(found.definition));
    }
    this.#providers ??= await this.#lookup.providers();
    const [first] = this.#providers
      .map((found) => ({ name: found.name, provider: ProviderDefinition.parse(found.definition) }))
      .sort((a, b) => a.provider.priority - b.provider.priority || (a.name < b.name ? -1 : 1));
    if (first !== undefined) return modelOfProvider(first.provider);
    if (this.#withoutProvider) return { provider: "scripted", model: "none" };
    return refuse("there is no provider to use; name a model, or define a provider");
  }

  #missing(kind: ConfigKind, name: string, path: string): void {
    if (kind === "TOOL" && this.#lookup.hasHostTool(name)) return;
    this.#issues.push({ path, message: `there is no ${nouns[kind]} named ${name} here` });
  }

  #subagent(part: FoundDefinition, path: string): { found: FoundDefinition; path: string }[] {
    const refuse = (message: string) => {
      this.#issues.push({ path, message });
      return [];
    };
    if (part.source === "CODE") return refuse(`${part.name} is a graph in code; only definitions can be subagents`);
    if (part.definition.mode === "PRIMARY") return refuse(`${part.name} is not for other agents: its mode is PRIMARY`);
    return [{ found: part, path }];
  }

  #checkTool(part: FoundDefinition, path: string): void {
    const { type, tool } = part.definition;
    if (type === "code" && typeof tool === "string" && !this.#lookup.hasHostTool(tool))
      this.#issues.push({ path, message: `${part.name} is the tool ${tool} of the host program, which has none` });
  }

  /** Of a plain agent every tool is known; Deep Agents and MCP servers bring tools of their own. */
  #checkToolNames(definition: AgentDefinition, path: string): void {
    const brings = definition.kind === "deep" || definition.mcpServers.length > 0;
    const foreign = (field: "interruptOn" | "repeatable") => {
      for (const tool of Object.keys(definition[field] ?? {}))
        if (!definition.tools.includes(tool))
          this.#issues.push({ path: joined(path, `${field}.${tool}`), message: "is not one of the agent's tools" });
    };
    if (!brings) foreign("interruptOn");
    if (!brings) foreign("repeatable");
  }

  #checkCircles(root: string): void {
    const subagentsOf = (name: string) => this.#agents.get(name)?.definition.subagents ?? [];
    const walk = (name: string, before: readonly string[]): readonly string[] | null => {
      if (before.includes(name)) return [...before, name];
      for (const next of subagentsOf(name)) {
        const circle = walk(next, [...before, name]);
        if (circle !== null) return circle;
      }
      return null;
    };
    for (const [i, name] of subagentsOf(root).entries()) {
      const circle = walk(name, [root]);
      if (circle === null) continue;
      this.#issues.push({ path: `subagents[${i}]`, message: `goes in a circle: ${circle.join(" → ")}` });
    }
  }

  #manifest(root: FoundDefinition, definition: ResolvedAgentDefinition): Manifest {
    const { recursionLimit, timeoutSeconds, interruptTtlSeconds, recordPayloads } = definition;
    const subagents = [...this.#agents].filter(([name]) => name !== root.name).sort(byName);
    const ofKind = (kind: PartKind) =>
      [...this.#parts.values()].filter((part) => part.kind === kind && part.source !== "CODE").sort(byPartName);
    const pinned = <Kind extends Exclude<PartKind, "AGENT">>(kind: Kind): Record<string, Definitions[Kind]> =>
      Object.fromEntries(
        ofKind(kind).flatMap((part) => {
          const { definition } = checkDefinition(kind, part.definition);
          return definition === null ? [] : [[part.name, definition]];
        }),
      );
    const pinnedAgents = filled(Object.fromEntries(subagents.map(([name, one]) => [name, one.definition])));
    const [tools, skills] = [filled(pinned("TOOL")), filled(pinned("SKILL"))];
    const [mcpServers, sandboxProfiles] = [filled(pinned("MCP_SERVER")), filled(pinned("SANDBOX_PROFILE"))];
    const sources = Object.fromEntries([
      ["agent", root.place],
      ...(["AGENT", "TOOL", "SKILL", "MCP_SERVER", "SANDBOX_PROFILE"] as const).flatMap((kind) =>
        ofKind(kind).map((part) => [`${partNames[kind]}.${part.name}`, part.place]),
      ),
    ]);
    return {
      agent: root.name,
      source: root.source,
      revision: root.revision,
      digest: root.digest,
      definition,
      ...(pinnedAgents && { subagents: pinnedAgents }),
      ...(tools && { tools }),
      ...(skills && { skills }),
      ...(mcpServers && { mcpServers }),
      ...(sandboxProfiles && { sandboxProfiles }),
      sources,
      limits: {
        ...{ recursionLimit, timeoutSeconds, maxPayloadBytes: this.#limits.maxPayloadBytes },
        ...(interruptTtlSeconds === undefined ? {} : { interruptTtlSeconds }),
      },
      recordPayloads,
    };
  }
}

const nouns: Record<ConfigKind, string> = {
  ...{ PROVIDER: "provider", TOOL: "tool", SKILL: "skill", AGENT: "agent", MCP_SERVER: "MCP server" },
  ...{ SANDBOX_PROFILE: "sandbox profile", DEFAULTS: "set of defaults" },
};

const joined = (path: string, rest: string): string => (path === "" || rest === "" ? path + rest : `${path}.${rest}`);

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);
const byPartName = (a: FoundDefinition, b: FoundDefinition): number => (a.name < b.name ? -1 : 1);

/** Null for nothing, so that a manifest does not mention what there is none of. */
const filled = <T>(record: Record<string, T>): Record<string, T> | null =>
  Object.keys(record).length === 0 ? null : record;

function modelOfProvider(provider: ProviderDefinition): ModelSelection {
  const { type, displayName: _, priority: __, ...rest } = provider;
  return { provider: type, ...rest };
}
