import type { Issue, Manifest } from "@wheelhouse/domain";
import { configInvalid } from "./config-key.ts";
import type { RuntimeDeps } from "./deps.ts";
import type { BuildProblem } from "./graph-host.ts";

/** An agent that runs something else after a change. */
export interface ChangedRun {
  agent: string;
  /** Null when it could not run. */
  before: Manifest | null;
  after: Manifest;
  /** SHA-256 hex of `after`. */
  digest: string;
  /** Where the agent's own definition stands among what is written; null when something that it names is written. */
  path: string | null;
}

/**
 * Refuses with CONFIG_INVALID what no process could build: an agent that is written, by the path in its definition, and
 * an agent that ran before and would not any more. Missing variables are no reason: another process may have them.
 * Nothing is called, but names of hosts are looked up: not for the inside of a transaction.
 */
export async function refuseUnbuildable(
  { graphs }: Pick<RuntimeDeps, "graphs">,
  changed: readonly ChangedRun[],
): Promise<void> {
  const issues: Issue[] = [];
  for (const { agent, before, after, path } of changed) {
    const problems = await definitionProblems(graphs, after);
    const [first] = problems;
    if (first === undefined) continue;
    if (path !== null) issues.push(...problems.map((problem) => ({ ...problem, path: joined(path, problem.path) })));
    else if (before !== null && (await definitionProblems(graphs, before)).length === 0)
      issues.push({ path: "", message: `the agent ${agent} could not run any more: ${first.path}: ${first.message}` });
  }
  if (issues.length > 0) throw configInvalid(issues.map(({ path, message }) => ({ path, message })));
}

const definitionProblems = async (graphs: RuntimeDeps["graphs"], manifest: Manifest): Promise<BuildProblem[]> =>
  (await graphs.problems(manifest)).filter(({ kind }) => kind === "DEFINITION");

const joined = (path: string, rest: string): string => (path === "" ? rest : `${path}.${rest}`);
