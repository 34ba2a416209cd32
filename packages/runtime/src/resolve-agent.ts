import { type Authority, Refusal } from "@wheelhouse/domain";
import type { ResolvedAgent } from "@wheelhouse/registry";
import type { RuntimeDeps } from "./deps.ts";

/** The agent of that name as it would run now for the caller. */
export async function resolveAgent(
  deps: Pick<RuntimeDeps, "registry">,
  authority: Authority,
  name: string,
): Promise<ResolvedAgent> {
  const agent = await deps.registry.resolveAgent(name, authority.scope);
  if (agent === null)
    throw new Refusal("AGENT_NOT_FOUND", `There is no agent named ${JSON.stringify(name.slice(0, 100))}`);
  return agent;
}

/** Makes or refreshes the project's row of an agent; `graph` is its drawn form, null when it is not known. */
export async function registerAgent(
  deps: Pick<RuntimeDeps, "storage" | "clock">,
  projectId: string,
  agent: ResolvedAgent,
  graph: unknown,
): Promise<void> {
  await deps.storage.agents.register(projectId, {
    name: agent.name,
    displayName: agent.displayName,
    description: agent.description,
    source: agent.source,
    inputSchema: agent.inputSchema,
    outputSchema: agent.outputSchema,
    graph,
    at: deps.clock.now(),
  });
}

/** Drawn form of an agent's graph; null when it cannot be built now, which is no reason to refuse work for it. */
export async function drawAgent(deps: Pick<RuntimeDeps, "graphs" | "log">, agent: ResolvedAgent): Promise<unknown> {
  try {
    return await deps.graphs.draw(agent.manifest);
  } catch (error) {
    deps.log.warn({ err: error, agent: agent.name }, "could not draw the graph of an agent");
    return null;
  }
}
