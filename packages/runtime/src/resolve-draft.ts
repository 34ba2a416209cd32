import { type Authority, checkDefinition, Refusal } from "@wheelhouse/domain";
import { digestOf } from "@wheelhouse/domain/digest";
import { assembleAgent, type ResolvedAgent } from "@wheelhouse/registry";
import { checkJson, isObject, requireRole } from "./check-input.ts";
import { configInvalid } from "./config-key.ts";
import type { RuntimeDeps } from "./deps.ts";
import { agentAt, lookupAt } from "./find-definitions.ts";

/** What manifests say about where a draft comes from. */
const place = "draft";

/**
 * An agent as it would run if this were its definition, with whatever that names at the caller's scope. Refuses with
 * CONFIG_INVALID and every issue, by its path in `draft`; agents in code have no definition to try another for.
 */
export async function resolveDraft(
  deps: RuntimeDeps,
  authority: Authority,
  { name, draft }: { name: string; draft: unknown },
): Promise<ResolvedAgent> {
  requireRole(authority, "EDITOR");
  const definition = checkJson("draft", draft, deps.tunables.maxDefinitionBytes);
  if (!isObject(definition)) throw configInvalid([{ path: "draft", message: "a definition is a JSON object" }]);
  refuse(checkDefinition("AGENT", definition).issues);
  const { scope } = authority;
  const reads = deps.storage.config.reads(authority);
  const applies = await agentAt(deps, reads, { name, scope });
  const shown = JSON.stringify(name.slice(0, 100));
  if (applies === null) throw new Refusal("AGENT_NOT_FOUND", `There is no agent named ${shown}`);
  if (applies.agent?.source === "CODE")
    throw configInvalid([{ path: "draft", message: `${shown} is a graph in code and has no definition` }]);
  const found = { kind: "AGENT", name, source: "API", definition, revision: null, place } as const;
  const { limits } = deps.registry;
  const { agent, issues } = await assembleAgent(
    { ...found, digest: digestOf(definition) },
    lookupAt(deps, reads, scope),
    { limits },
  );
  refuse(issues);
  if (agent === null) throw new Error("An agent without issues was not assembled");
  return agent;
}

function refuse(issues: readonly { path: string; message: string }[]): void {
  if (issues.length > 0)
    throw configInvalid(
      issues.map(({ path, message }) => ({ path: path === "" ? "draft" : `draft.${path}`, message })),
    );
}
