import type { RuntimeDeps } from "./deps.ts";
import { drawAgent, registerAgent } from "./resolve-agent.ts";

/** Gives a project its rows of every agent that comes from a file or from code, with drawn graphs. For start-up. */
export async function registerSharedAgents(
  deps: Pick<RuntimeDeps, "storage" | "registry" | "graphs" | "clock" | "log">,
  projectId: string,
): Promise<void> {
  for (const agent of await deps.registry.sharedAgents())
    await registerAgent(deps, projectId, agent, await drawAgent(deps, agent));
}
