import { type AgentMode, agentModes } from "@wheelhouse/domain";
import type { ConfigEntityRecord } from "@wheelhouse/storage";
import DataLoader from "dataloader";
import { z } from "zod";
import { authorityOf, type GraphContext } from "./context.ts";

const loaders = new WeakMap<GraphContext, DataLoader<string, ConfigEntityRecord | null>>();

/** The columns of an agent that its definition is found by. */
export interface DefinedAgent {
  name: string;
  source: string;
  configEntityId: string | null;
}

/**
 * The row of the definition behind an agent, as far as the caller may see it; null for agents of files and of code. The
 * agents of a list and all their fields ask at once.
 */
export async function entityOfAgent(
  context: GraphContext,
  { configEntityId }: Pick<DefinedAgent, "configEntityId">,
): Promise<ConfigEntityRecord | null> {
  if (configEntityId === null) return null;
  let loader = loaders.get(context);
  if (loader === undefined) {
    // Nothing is remembered: a subscription lives long, and its next frame wants the rows of then.
    loader = new DataLoader((ids) => readEntities(context, ids), { cache: false });
    loaders.set(context, loader);
  }
  return loader.load(configEntityId);
}

async function readEntities(context: GraphContext, ids: readonly string[]) {
  const reads = context.runtime.storage.config.reads(authorityOf(context));
  const found = new Map((await reads.entitiesById([...new Set(ids)])).map((entity) => [entity.id, entity]));
  return ids.map((id) => found.get(id) ?? null);
}

// As it was written: what it leaves out is what a definition's schema puts there.
const Offer = z.looseObject({ mode: z.enum(agentModes).catch("ALL"), hidden: z.boolean().catch(false) });

/** Who an agent is for, as its definition says; graphs in code are for everybody. */
export async function offerOf(
  context: GraphContext,
  agent: DefinedAgent,
): Promise<{ mode: AgentMode; hidden: boolean }> {
  const entity = await entityOfAgent(context, agent);
  const shared = context.runtime.registry.shared("AGENT", agent.name);
  const inFile = agent.source === "FILE" ? shared.find(({ source }) => source === "FILE") : undefined;
  return Offer.parse(entity?.definition ?? inFile?.definition ?? {});
}
