import { type Authority, Refusal } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import type { ResolvedAgent } from "@wheelhouse/registry";
import type { RuntimeDeps } from "./deps.ts";
import { agentAt } from "./find-definitions.ts";

export type ResolveDeps = Pick<RuntimeDeps, "registry" | "scopeKeys" | "agents" | "storage">;

/**
 * The agent of that name as it would run now for the caller, with the definitions of everything it names. Refuses with
 * CONFIG_INVALID when something that it names is not there.
 */
export async function resolveAgent(deps: ResolveDeps, authority: Authority, name: string): Promise<ResolvedAgent> {
  const { projectId, scope } = authority;
  // Not the authority's own key: some callers resolve for the scope of something they reach.
  const key = `${scopeKeyOf(scope)}/${name}`;
  const found = await deps.agents.get(projectId, key, () =>
    agentAt(deps, deps.storage.config.reads(authority), { name, scope }),
  );
  const shown = JSON.stringify(name.slice(0, 100));
  if (found === null) throw new Refusal("AGENT_NOT_FOUND", `There is no agent named ${shown}`);
  if (found.agent === null) {
    const wrong = found.issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
    throw new Refusal("CONFIG_INVALID", `The agent ${shown} cannot run: ${wrong}`, { issues: found.issues });
  }
  if (found.agent.definition?.mode === "SUBAGENT")
    throw new Refusal("AGENT_NOT_FOUND", `The agent ${shown} works for other agents only: its mode is SUBAGENT`);
  return found.agent;
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
