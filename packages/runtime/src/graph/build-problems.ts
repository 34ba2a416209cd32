import type { Manifest, ResolvedAgentDefinition } from "@wheelhouse/domain";
import type { BuildProblem } from "../graph-host.ts";
import { skillFolders } from "./agent-files.ts";
import { type AgentSources, refuseCollisions, refuseMissingRooms } from "./build-agent.ts";
import { RunRefusal } from "./classify-failure.ts";
import { namedTools } from "./declared-tools.ts";
import { createModel } from "./models.ts";
import { serversOf } from "./server-tools.ts";
import { headerValues, VariableMissing } from "./variables.ts";

/**
 * Everything that keeps an agent of a manifest from running here, as far as it is known without calling anybody. It tries
 * the parts as a run would: what passes here is refused there for what others answer only.
 */
export async function buildProblems(
  manifest: Manifest,
  sources: Omit<AgentSources, "pinned">,
): Promise<BuildProblem[]> {
  const { definition, subagents = {} } = manifest;
  if (definition === null) return [];
  const all = [["", definition] as const, ...Object.entries(subagents)];
  const found = await Promise.all(
    all.map(async ([name, each]) => {
      const problems = await problemsOf(each, manifest, { ...sources, pinned: manifest });
      return problems.map((problem) => (name === "" ? problem : belowSubagent(name, problem)));
    }),
  );
  return found.flat();
}

const belowSubagent = (name: string, { path, ...problem }: BuildProblem): BuildProblem => ({
  ...problem,
  path: `subagents.${name}${path === "" ? "" : `.${path}`}`,
});

async function problemsOf(
  definition: ResolvedAgentDefinition,
  manifest: Manifest,
  sources: AgentSources,
): Promise<BuildProblem[]> {
  const { tools = {}, skills = {} } = manifest;
  const problems: BuildProblem[] = [];
  const attempt = async <T>(path: string, work: () => T | Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RunRefusal)) throw error;
      const kind = error instanceof VariableMissing ? "ENVIRONMENT" : "DEFINITION";
      problems.push({ path, message: error.failure.message, kind });
      return null;
    }
  };
  await attempt("kind", () => refuseMissingRooms(definition, sources));
  await attempt("model", () => createModel(definition.model, sources));
  for (const [i, name] of definition.tools.entries())
    await attempt(`tools[${i}]`, async () => {
      const [tool] = namedTools([name], tools, sources);
      const defined = Object.hasOwn(tools, name) ? tools[name] : undefined;
      if (defined?.type === "http") await refuseAddress(`The tool "${name}"`, defined.url, sources);
      if (tool !== undefined) refuseCollisions([tool], definition);
    });
  for (const [i, name] of definition.skills.entries())
    await attempt(`skills[${i}]`, () => skillFolders({ skills: [name] }, skills));
  for (const [i, name] of definition.mcpServers.entries())
    await attempt(`mcpServers[${i}]`, async () => {
      const named = serversOf({ ...manifest, definition: { ...definition, mcpServers: [name] }, subagents: {} });
      for (const [server, { url, headers }] of named) {
        headerValues(headers, sources.env, `The MCP server "${server}" cannot be called`);
        await refuseAddress(`The MCP server "${server}"`, url, sources);
      }
    });
  return problems;
}

async function refuseAddress(what: string, url: string, { outgoing }: AgentSources): Promise<void> {
  // Of a template only the host counts, where no argument stands.
  const refusal = await outgoing.refusalOf(new URL(url.replaceAll(/[{}]/g, "")).origin);
  if (refusal !== null) throw new RunRefusal("CONFIG_INVALID", `${what} cannot be called: ${refusal}.`);
}
