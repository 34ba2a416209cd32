import type { FileAgent } from "./read-workspace.ts";
import type { RegistryIssue } from "./registry-issue.ts";

export interface KnownNames {
  /** Tools that the host program registered; null when they are not known here. */
  tools: ReadonlySet<string> | null;
}

/**
 * Takes out agents that name tools or subagents that do not exist, and those whose subagents were taken out, until
 * nothing is missing. A circle of subagents is refused as a whole.
 */
export function checkReferences(
  agents: readonly FileAgent[],
  known: KnownNames,
): { agents: FileAgent[]; issues: RegistryIssue[] } {
  const issues: RegistryIssue[] = [];
  let left = [...agents];
  for (;;) {
    const names = new Map(left.map((agent) => [agent.name, agent]));
    const sound = left.filter((agent) => {
      const wrong = firstWrong(agent, names, known);
      if (wrong !== null) issues.push({ file: agent.file, line: null, message: wrong });
      return wrong === null;
    });
    if (sound.length === left.length) return { agents: sound, issues };
    left = sound;
  }
}

function firstWrong(agent: FileAgent, agents: ReadonlyMap<string, FileAgent>, { tools }: KnownNames): string | null {
  const { definition } = agent;
  const unknownTool = tools === null ? undefined : definition.tools.find((tool) => !tools.has(tool));
  if (unknownTool !== undefined) return `tools: there is no tool named ${unknownTool}`;
  const unguarded = Object.keys(definition.interruptOn).find((tool) => !definition.tools.includes(tool));
  // Deep agents bring tools of their own, such as write_file.
  if (unguarded !== undefined && definition.kind === "react")
    return `interruptOn: ${unguarded} is not one of the agent's tools`;
  const missing = definition.subagents.find((name) => !agents.has(name));
  if (missing !== undefined) return `subagents: there is no agent named ${missing}`;
  return subagentsOf(agent, agents).has(agent.name) ? "subagents: the agent is a subagent of itself" : null;
}

/** Every agent that an agent hands work to, at any depth, by name; itself only when it goes in a circle. */
export function subagentsOf(agent: FileAgent, agents: ReadonlyMap<string, FileAgent>): Map<string, FileAgent> {
  const found = new Map<string, FileAgent>();
  const open = [...agent.definition.subagents];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const subagent = agents.get(name);
    if (subagent === undefined || found.has(name)) continue;
    found.set(name, subagent);
    open.push(...subagent.definition.subagents);
  }
  return found;
}
