import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { AgentDefinition, Decision, Manifest } from "@wheelhouse/domain";
import type { AgentMiddleware, InterruptOnConfig, StructuredTool } from "langchain";
import { RunRefusal } from "./classify-failure.ts";
import type { GraphFactoryContext, GraphHostOptions } from "./graph-host-options.ts";
import { createModel } from "./models.ts";

/** The slice of a compiled LangGraph graph that is used here; any copy of the library has it. */
export interface RunnableGraph {
  checkpointer?: unknown;
  store?: unknown;
  stream(input: unknown, config: Record<string, unknown>): Promise<AsyncIterable<unknown>>;
  withConfig(config: Record<string, unknown>): RunnableGraph;
  getGraphAsync(config?: Record<string, unknown>): Promise<DrawableGraph>;
}

export interface DrawableGraph {
  nodes: Record<string, { id: string; name: string }>;
  edges: { source: string; target: string; conditional?: boolean; data?: string }[];
}

export interface BuildOptions extends Pick<GraphHostOptions, "codeAgents" | "tools" | "loadSubagent" | "env"> {
  checkpointer: BaseCheckpointSaver;
  scriptedDelayMs: number;
}

/** The graph of a manifest, with the host's checkpointer. Throws a RunRefusal when it cannot be built. */
export async function buildGraph(manifest: Manifest, options: BuildOptions): Promise<RunnableGraph> {
  const graph =
    manifest.definition === null
      ? await registeredGraph(manifest.agent, options)
      : await definedGraph(manifest.agent, manifest.definition, withPinned(manifest, options));
  // A copy: the registered object belongs to the host program, which may run it elsewhere.
  const copy = graph.withConfig({});
  copy.checkpointer = options.checkpointer;
  copy.store = undefined;
  return copy;
}

/** Subagents as they were when the run was submitted; others are asked for. */
function withPinned({ subagents }: Manifest, options: BuildOptions): BuildOptions {
  if (subagents === undefined) return options;
  return { ...options, loadSubagent: async (name) => subagents[name] ?? (await options.loadSubagent?.(name)) ?? null };
}

async function registeredGraph(name: string, options: BuildOptions): Promise<RunnableGraph> {
  const registered = options.codeAgents?.[name]?.graph;
  if (registered === undefined)
    throw new RunRefusal("AGENT_NOT_FOUND", `The agent "${name}" is not registered in this installation any more.`);
  const made = isFactory(registered) ? await registered({ agent: name, env: options.env }) : await registered;
  const graph = unwrap(made);
  if (graph === null)
    throw new RunRefusal("CONFIG_INVALID", `What is registered as "${name}" is not a compiled LangGraph graph.`);
  return graph;
}

type Factory = (context: GraphFactoryContext) => unknown;
const isFactory = (value: unknown): value is Factory => typeof value === "function" && !isGraph(value);

const isGraph = (value: unknown): value is RunnableGraph =>
  (typeof value === "object" || typeof value === "function") &&
  value !== null &&
  "stream" in value &&
  "withConfig" in value &&
  "getGraphAsync" in value &&
  "nodes" in value;

/** Agents of `createAgent` and `createDeepAgent` keep their graph in a property. */
function unwrap(value: unknown): RunnableGraph | null {
  if (isGraph(value)) return value;
  const inner: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "graph") : undefined;
  return isGraph(inner) ? inner : null;
}

async function definedGraph(name: string, definition: AgentDefinition, options: BuildOptions): Promise<RunnableGraph> {
  const model = await createModel(definition.model, options);
  const tools = namedTools(definition.tools, options);
  const { humanInTheLoopMiddleware, createAgent, todoListMiddleware, toolStrategy } = await import("langchain");
  const timeout = modelTimeout(definition);
  const schema = definition.responseFormat;
  const responseFormat = schema === undefined ? {} : { responseFormat: toolStrategy({ ...schema, type: "object" }) };
  const shared = { model, tools, name, systemPrompt: definition.systemPrompt, ...responseFormat };
  const interruptOn = toInterruptOn(definition.interruptOn, options);
  if (definition.kind === "deep") {
    const { createDeepAgent } = await import("deepagents");
    const subagents = await Promise.all(definition.subagents.map((subagent) => toSubagent(subagent, options)));
    return graphOf(
      createDeepAgent({ ...shared, subagents, interruptOn, middleware: [todoListMiddleware(), ...timeout] }),
    );
  }
  const approvals = Object.keys(interruptOn).length > 0 ? [humanInTheLoopMiddleware({ interruptOn })] : [];
  return graphOf(createAgent({ ...shared, middleware: [...approvals, ...timeout] }));
}

function graphOf(agent: unknown): RunnableGraph {
  const graph = unwrap(agent);
  if (graph === null) throw new RunRefusal("INTERNAL", "The agent library returned something that is not a graph.");
  return graph;
}

async function toSubagent(name: string, options: BuildOptions) {
  const definition = (await options.loadSubagent?.(name)) ?? null;
  if (definition === null) throw new RunRefusal("CONFIG_INVALID", `The subagent "${name}" does not exist.`);
  return {
    name,
    description: definition.description ?? definition.displayName ?? name,
    systemPrompt: definition.systemPrompt,
    tools: namedTools(definition.tools, options),
    model: await createModel(definition.model, options),
    interruptOn: toInterruptOn(definition.interruptOn, options),
    middleware: modelTimeout(definition),
  };
}

function namedTools(names: readonly string[], options: BuildOptions): StructuredTool[] {
  return names.map((name) => {
    const found = options.tools?.find((tool) => tool.name === name);
    if (!isTool(found))
      throw new RunRefusal("CONFIG_INVALID", `The tool "${name}" is not registered in wheelhouse.config.ts.`);
    return found;
  });
}

const isTool = (value: object | undefined): value is StructuredTool => value !== undefined && "invoke" in value;

/** Domain decisions → the middleware's words. It knows no RESPOND: that answer reaches the model as a rejection's text. */
function toInterruptOn(
  interruptOn: Readonly<Record<string, readonly Decision[]>>,
  options: BuildOptions,
): Record<string, InterruptOnConfig> {
  const words = { APPROVE: "approve", EDIT: "edit", REJECT: "reject", RESPOND: "reject" } as const;
  return Object.fromEntries(
    Object.entries(interruptOn).map(([tool, decisions]) => [
      tool,
      {
        allowedDecisions: [...new Set(decisions.map((decision) => words[decision]))],
        // What the tool does; the middleware's own text repeats the arguments, which the request carries anyway.
        description: descriptionOf(options.tools?.find((known) => known.name === tool)),
      },
    ]),
  );
}

const descriptionOf = (tool: object | undefined): string => (isTool(tool) ? tool.description : "");

/** Ends a model call that takes longer than the definition allows; providers' own timeouts differ or are missing. */
function modelTimeout({ model }: AgentDefinition): AgentMiddleware[] {
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
