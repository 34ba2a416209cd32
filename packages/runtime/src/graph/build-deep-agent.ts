import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { Runnable } from "@langchain/core/runnables";
import type { Manifest, ResolvedAgentDefinition } from "@wheelhouse/domain";
import {
  type BackendProtocolV2,
  createDeepAgent,
  createFilesystemMiddleware,
  createMemoryMiddleware,
  createSummarizationMiddleware,
  type FilesystemPermission,
  GENERAL_PURPOSE_SUBAGENT,
} from "deepagents";
import { type AgentMiddleware, createMiddleware, todoListMiddleware } from "langchain";
import { agentFiles, skillFolders } from "./agent-files.ts";
import { summaryRule } from "./agent-middleware.ts";
import type { AgentParts, answerFormat, NamedSubagent } from "./agent-parts.ts";
import { RunRefusal } from "./classify-failure.ts";

type Agent = AgentParts & { name: string; systemPrompt: string; responseFormat?: ReturnType<typeof answerFormat> };

export interface DeepSources {
  subagents: readonly NamedSubagent[];
  skills: NonNullable<Manifest["skills"]>;
  partsOf: (definition: ResolvedAgentDefinition) => Promise<AgentParts>;
  /** Builds a subagent as an agent of its own. */
  build: (subagent: NamedSubagent) => Promise<object>;
}

/** A Deep Agent: it plans, has files, skills and a memory, and hands work to subagents. */
export async function buildDeepAgent(
  { name, systemPrompt, responseFormat, ...parts }: Agent,
  definition: ResolvedAgentDefinition,
  sources: DeepSources,
): Promise<object> {
  const files = await agentFiles(sources.skills);
  const rooms = { ...sources, files, permissions: permissionsOf(definition.permissions) };
  const own = deepParts(definition, parts, rooms);
  const named = await Promise.all(sources.subagents.map((each) => toSubagent(each, rooms)));
  return createDeepAgent({
    ...own,
    name,
    systemPrompt,
    ...(responseFormat === undefined ? {} : { responseFormat }),
    backend: files,
    middleware: [todoListMiddleware(), ...own.middleware, ...memory(definition, files)],
    // The subagent that every Deep Agent has must ask for the same tools as the agent itself.
    subagents: [...named, { ...GENERAL_PURPOSE_SUBAGENT, ...own }],
  });
}

interface DeepRooms extends Omit<DeepSources, "subagents"> {
  files: BackendProtocolV2;
  /** The agent's own; subagents without rules of their own are under them. */
  permissions: FilesystemPermission[];
}

function deepParts(
  definition: ResolvedAgentDefinition,
  { model, summarizer, tools, middleware }: AgentParts,
  { files, skills, permissions: inherited }: DeepRooms,
) {
  const own = permissionsOf(definition.permissions);
  const permissions = own.length === 0 ? inherited : own;
  return {
    ...{ model, tools, permissions },
    skills: skillFolders(definition, skills),
    middleware: [
      ...lookingUpSkills(definition),
      ...middleware,
      ...filesystem(definition, files, permissions),
      summarization(definition, summarizer, files),
    ],
  };
}

async function toSubagent(subagent: NamedSubagent, rooms: DeepRooms) {
  const { name, definition } = subagent;
  const description = definition.description ?? definition.displayName ?? name;
  // One that hands work on itself is an agent of its own.
  if (definition.kind === "deep" && definition.subagents.length > 0)
    return { name, description, runnable: runnableOf(await rooms.build(subagent)) };
  const parts = deepParts(definition, await rooms.partsOf(definition), rooms);
  return { name, description, systemPrompt: definition.systemPrompt, ...parts };
}

const permissionsOf = (permissions: ResolvedAgentDefinition["permissions"]): FilesystemPermission[] =>
  permissions.map(({ operations, paths, mode }) => ({ operations, paths, mode }));

/** Which skills there are is looked up when a run begins: Deep Agents would keep the first list. */
function lookingUpSkills({ skills }: ResolvedAgentDefinition): AgentMiddleware[] {
  if (skills.length === 0) return [];
  const nothingKnown: Record<string, unknown> = { skillsMetadata: null };
  return [createMiddleware({ name: "SkillsOfNow", beforeAgent: () => nothingKnown })];
}

/** Stands for the one that Deep Agents bring, when it has to differ. */
function filesystem(
  { contextPolicy }: ResolvedAgentDefinition,
  backend: BackendProtocolV2,
  permissions: FilesystemPermission[],
): AgentMiddleware[] {
  const limit = contextPolicy?.toolTokenLimitBeforeEvict;
  if (limit === undefined) return [];
  return [createFilesystemMiddleware({ backend, permissions, toolTokenLimitBeforeEvict: limit })];
}

/** Stands for the one that Deep Agents bring, which knows no rule and speaks with the voice of the agent. */
function summarization(
  definition: ResolvedAgentDefinition,
  summarizer: BaseChatModel,
  backend: BackendProtocolV2,
): AgentMiddleware {
  const rule = summaryRule(definition);
  if (rule === null && definition.contextPolicy?.summarizationEnabled === false)
    return createMiddleware({ name: "SummarizationMiddleware" });
  const summarizing = createSummarizationMiddleware({
    backend,
    ...(rule === null
      ? {}
      : { keep: { type: "messages", value: rule.keepMessages }, trigger: { type: "tokens", value: rule.tokens } }),
  });
  const { wrapModelCall } = summarizing;
  if (wrapModelCall === undefined) return summarizing;
  // It sums up with the model of the call; the call itself is made with the agent's own.
  const wrapped: typeof wrapModelCall = (request, handler) =>
    wrapModelCall({ ...request, model: summarizer }, (next) => handler({ ...next, model: request.model }));
  return { ...summarizing, wrapModelCall: wrapped };
}

/** Files that are part of every prompt, as they are when a run begins: Deep Agents would keep the first reading. */
function memory({ memory: sources, model }: ResolvedAgentDefinition, backend: BackendProtocolV2): AgentMiddleware[] {
  if (sources.length === 0) return [];
  const reading = createMemoryMiddleware({ backend, sources, addCacheControl: model.provider === "anthropic" });
  const { beforeAgent } = reading;
  if (typeof beforeAgent !== "function") return [reading];
  const anew: typeof beforeAgent = (state, runtime) => beforeAgent({ ...state, memoryContents: undefined }, runtime);
  return [{ ...reading, beforeAgent: anew }];
}

function runnableOf(agent: object): Runnable {
  if (!("graph" in agent) || !Runnable.isRunnable(agent.graph))
    throw new RunRefusal("INTERNAL", "The agent library returned something that is not a graph.");
  return agent.graph;
}
