import type { StructuredTool } from "@langchain/core/tools";
import type { Manifest, ResolvedAgentDefinition } from "@wheelhouse/domain";
import type { AgentMiddleware } from "langchain";
import { createAgent } from "langchain";
import { definedMiddleware } from "./agent-middleware.ts";
import { type AgentParts, answerFormat, type NamedSubagent } from "./agent-parts.ts";
import { type AskingTool, approvals } from "./approvals.ts";
import { RunRefusal } from "./classify-failure.ts";
import { namedTools, type ToolSources } from "./declared-tools.ts";
import { createModel, type ModelOptions } from "./models.ts";
import { toolFailures } from "./tool-failures.ts";
import { argsSchemaOf } from "./tool-schemas.ts";

/** What an agent is built from, beside its own definition. */
export interface AgentSources extends ToolSources, ModelOptions {
  /** The definitions that were pinned with the agent's. */
  pinned: Pick<Manifest, "subagents" | "tools" | "skills" | "sandboxProfiles">;
  /** The tools of MCP servers, by server; a server that is not there is missing. */
  mcpTools: ReadonlyMap<string, readonly StructuredTool[]>;
  /** The agents that hand work to this one, the first one first. */
  above?: readonly string[];
  /** Asked for subagents that were not pinned; null when there is none. */
  loadSubagent?: ((name: string) => Promise<ResolvedAgentDefinition | null>) | undefined;
}

/** Tools that every Deep Agent brings. */
export const builtInTools = "write_todos task ls read_file write_file edit_file delete glob grep execute".split(" ");

/** The agent of a definition. Throws a RunRefusal that says what cannot be built. */
export async function buildAgent(
  name: string,
  definition: ResolvedAgentDefinition,
  sources: AgentSources,
): Promise<object> {
  refuseMissingRooms(definition, sources);
  const parts = await partsOf(definition, sources);
  const schema = definition.responseFormat;
  const responseFormat = schema === undefined ? {} : { responseFormat: answerFormat(schema) };
  const agent = { ...parts, name, systemPrompt: definition.systemPrompt, ...responseFormat };
  if (definition.kind === "react") return createAgent(agent);
  // Of all agents, only deep ones need it in memory.
  const { buildDeepAgent } = await import("./build-deep-agent.ts");
  const below = { ...sources, above: [...(sources.above ?? []), name] };
  return buildDeepAgent(agent, definition, {
    subagents: await Promise.all(definition.subagents.map((each) => subagentOf(each, below))),
    skills: sources.pinned.skills ?? {},
    partsOf: (each) => partsOf(each, sources),
    build: (each) => buildAgent(each.name, each.definition, below),
  });
}

/** What every agent has, whatever its kind. */
async function partsOf(definition: ResolvedAgentDefinition, sources: AgentSources): Promise<AgentParts> {
  const tools = [
    ...namedTools(definition.tools, sources.pinned.tools ?? {}, sources),
    ...definition.mcpServers.flatMap((server) => sources.mcpTools.get(server) ?? []),
  ];
  refuseCollisions(tools, definition);
  const model = await createModel(definition.model, sources);
  const summarizer = await createModel(definition.model, sources);
  summarizer.tags = ["nostream"];
  return {
    model,
    summarizer,
    tools,
    middleware: [
      toolFailures(),
      ...approvals(askingTools(definition, tools)),
      ...modelTimeout(definition),
      ...definedMiddleware(definition, summarizer),
    ],
  };
}

/** What this installation has no room for must not be left out silently. */
export function refuseMissingRooms(
  { kind, sandboxProfile, skills, memory, permissions }: ResolvedAgentDefinition,
  { pinned }: AgentSources,
): void {
  const profile = sandboxProfile === undefined ? undefined : pinned.sandboxProfiles?.[sandboxProfile];
  if (sandboxProfile !== undefined && profile?.backend !== "none")
    throw new RunRefusal(
      "CONFIG_INVALID",
      `The sandbox profile "${sandboxProfile}" executes commands, and this installation cannot.`,
    );
  if (kind === "deep") return;
  const wanted = [
    ["skills", skills],
    ["memory", memory],
    ["permissions", permissions],
  ] as const;
  for (const [field, entries] of wanted)
    if (entries.length > 0)
      throw new RunRefusal("CONFIG_INVALID", `Only agents of the kind deep have files: ${field} is not for others.`);
}

async function subagentOf(name: string, sources: AgentSources): Promise<NamedSubagent> {
  if (sources.above?.includes(name))
    throw new RunRefusal("CONFIG_INVALID", `The agent "${name}" is a subagent of itself.`);
  const { subagents = {} } = sources.pinned;
  const pinned = Object.hasOwn(subagents, name) ? subagents[name] : undefined;
  const definition = pinned ?? (await sources.loadSubagent?.(name)) ?? null;
  if (definition === null) throw new RunRefusal("CONFIG_INVALID", `The subagent "${name}" does not exist.`);
  refuseMissingRooms(definition, sources);
  return { name, definition };
}

/** Of two tools under one name, which one is called would be chance. */
export function refuseCollisions(tools: readonly StructuredTool[], { kind }: ResolvedAgentDefinition): void {
  const seen = new Set(kind === "deep" ? builtInTools : []);
  for (const { name } of tools) {
    if (seen.has(name))
      throw new RunRefusal(
        "CONFIG_INVALID",
        `Two tools of the agent are named "${name}"; give an MCP server a toolPrefix, or a tool another name.`,
      );
    seen.add(name);
  }
}

/** The tools of a definition that ask first. */
function askingTools(
  { interruptOn }: ResolvedAgentDefinition,
  tools: readonly StructuredTool[],
): ReadonlyMap<string, AskingTool> {
  return new Map(
    Object.entries(interruptOn).map(([name, allowed]) => {
      const known = tools.find((tool) => tool.name === name);
      return [name, { allowed, description: known?.description ?? "", argsSchema: argsSchemaOf(known) }];
    }),
  );
}

/** Ends a model call that takes longer than the definition allows; providers' own timeouts differ or are missing. */
function modelTimeout({ model }: ResolvedAgentDefinition): AgentMiddleware[] {
  const { timeoutSeconds } = model;
  if (timeoutSeconds === undefined) return [];
  return [
    {
      name: "ModelTimeout",
      wrapModelCall: async (request, handler) => {
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<never>((_resolve, reject) => {
          const error = new RunRefusal("MODEL_ERROR", `The model did not answer within ${timeoutSeconds} seconds.`);
          timer = setTimeout(() => reject(error), timeoutSeconds * 1000);
        });
        try {
          return await Promise.race([handler(request), late]);
        } finally {
          clearTimeout(timer);
        }
      },
    } as AgentMiddleware,
  ];
}
