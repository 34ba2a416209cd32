import {
  type Authority,
  type ConfigIssue,
  checkDefinition,
  type Issue,
  jsonDifferences,
  notFound,
  Refusal,
  referencesOf,
  sameScope,
} from "@wheelhouse/domain";
import { digestOf } from "@wheelhouse/domain/digest";
import { assembleAgent } from "@wheelhouse/registry";
import type {
  ConfigChangeRecord,
  ConfigDraft,
  ConfigEntityRecord,
  ConfigKey,
  LabelOutcome,
  ShownAgent,
} from "@wheelhouse/storage";
import { checkJson, isObject } from "./check-input.ts";
import {
  type AgentPlace,
  concernedAgents,
  manifestsOf,
  type PlannedRun,
  type ResolutionImpact,
} from "./config-impact.ts";
import { configInvalid, isProjectLevel } from "./config-key.ts";
import type { RuntimeDeps } from "./deps.ts";
import { foundEntity, lookupAt } from "./find-definitions.ts";
import { type ChangedRun, refuseUnbuildable } from "./refuse-unbuildable.ts";
import { drawAgent, registerAgent } from "./resolve-agent.ts";

export type ConfigDeps = Pick<
  RuntimeDeps,
  "storage" | "registry" | "scopeKeys" | "tunables" | "clock" | "graphs" | "log"
>;

/** One write of a definition. */
export type ConfigWrite = { key: ConfigKey; reason: string | null } & (
  | {
      op: "put";
      /** The definition to write; asked with what is there now, or null. */
      make: (draft: ConfigDraft, current: ConfigEntityRecord | null) => Promise<unknown> | unknown;
      expectedRevision?: number | null | undefined;
      createOnly?: boolean | null | undefined;
      enabled?: boolean | null | undefined;
    }
  | { op: "delete"; expectedRevision?: number | null | undefined }
  | { op: "label"; label: string; revision: number | null }
  | { op: "pin"; label: string | null }
);

/** A place where two definitions differ; a side that has nothing there is absent. */
export interface DefinitionDifference {
  /** JSONPath. */
  path: string;
  before?: unknown;
  after?: unknown;
}

export interface ChangedConfig {
  entity: ConfigEntityRecord;
  /** Null when nothing was different. */
  change: ConfigChangeRecord | null;
  diff: DefinitionDifference[];
}

export type ConfigOutcome =
  | {
      outcome: "saved";
      saved: ChangedConfig[];
      impact: ResolutionImpact[];
      /** False when more agents may be concerned than were looked at. */
      impactComplete: boolean;
    }
  /** Somebody else was first: `diff` leads from what is there now to what was to be written. */
  | { outcome: "conflict"; index: number; current: ConfigEntityRecord; diff: DefinitionDifference[] };

/**
 * Writes definitions, all or none, and says which agents run differently from now on. Everything is checked as it would
 * be afterwards: the definitions by themselves, what they name, whether agents can be built, and every agent that runs now
 * and would not any more.
 * Refuses with CONFIG_INVALID and all issues, NOT_FOUND, or FILE_MANAGED. With `dryRun` it only says what it would do.
 */
export async function changeConfig(
  deps: ConfigDeps,
  authority: Authority,
  { writes, dryRun = false }: { writes: readonly ConfigWrite[]; dryRun?: boolean | null | undefined },
): Promise<ConfigOutcome> {
  const buildable = new Set<string>();
  for (;;) {
    const { outcome, changed } = await deps.storage.config.change(authority, async (draft) => {
      const drafted = await draftChange(deps, draft, writes);
      const changed = drafted.changed.filter(({ digest }) => !buildable.has(digest));
      const keep = drafted.outcome.outcome === "saved" && !dryRun && changed.length === 0;
      return { keep, answer: { outcome: drafted.outcome, changed } };
    });
    // Building takes a while, and nobody should wait for it: what is to be kept is drafted again, and what somebody else
    // changed meanwhile is looked at in its turn.
    await refuseUnbuildable(deps, changed);
    if (outcome.outcome === "conflict" || dryRun) return outcome;
    if (changed.length === 0) {
      await showAgents(deps, authority, outcome.saved);
      return outcome;
    }
    for (const { digest } of changed) buildable.add(digest);
  }
}

interface Drafted {
  outcome: ConfigOutcome;
  /** The agents that run something else from now on. */
  changed: ChangedRun[];
}

async function draftChange(deps: ConfigDeps, draft: ConfigDraft, writes: readonly ConfigWrite[]): Promise<Drafted> {
  const most = deps.tunables.maxImpact;
  const { places, complete } = await concernedAgents(deps, draft, { changed: writes.map(({ key }) => key), most });
  const before = await manifestsOf(deps, draft, places);
  const saved: ChangedConfig[] = [];
  for (const [index, write] of writes.entries()) {
    const done = await writeOne(deps, draft, write, pathOfWrite(writes, index));
    if ("current" in done) return { outcome: { outcome: "conflict", index, ...done }, changed: [] };
    saved.push(done);
  }
  const issues = await issuesAfter(deps, draft, writes, saved);
  if (issues.length > 0) throw configInvalid(issues);
  const after = await manifestsOf(deps, draft, places);
  const broken: Issue[] = [];
  const own = new Set(writes.map(({ key }) => (key.kind === "AGENT" ? key.name : "")));
  for (const [i, { agent }] of places.entries())
    if (before[i]?.digest != null && after[i]?.digest == null && !own.has(agent))
      broken.push({
        path: "",
        message: `the agent ${agent} could not run any more: ${after[i]?.wrong ?? "it is gone"}`,
      });
  if (broken.length > 0) throw configInvalid(broken);
  const impact: ResolutionImpact[] = [];
  const changed: ChangedRun[] = [];
  for (const [i, place] of places.entries()) {
    const [was, is] = [before[i] ?? nothing, after[i] ?? nothing];
    if (was.digest === is.digest) continue;
    impact.push({ ...place, before: was.digest, after: is.digest });
    if (is.manifest === null || is.digest === null) continue;
    const path = pathOfAgent(writes, place);
    changed.push({ agent: place.agent, before: was.manifest, after: is.manifest, digest: is.digest, path });
  }
  return { outcome: { outcome: "saved", saved, impact, impactComplete: complete }, changed };
}

const nothing: PlannedRun = { manifest: null, digest: null, wrong: null };

/** Where an agent's own definition stands among what is written. */
function pathOfAgent(writes: readonly ConfigWrite[], { agent, scope }: AgentPlace): string | null {
  const index = writes.findIndex(
    ({ key }) => key.kind === "AGENT" && key.name === agent && sameScope(key.scope, scope),
  );
  return index === -1 ? null : pathOfWrite(writes, index);
}

const pathOfWrite = (writes: readonly ConfigWrite[], index: number): string =>
  writes.length === 1 ? "" : `changes[${index}]`;

type Conflict = { current: ConfigEntityRecord; diff: DefinitionDifference[] };

async function writeOne(
  deps: ConfigDeps,
  draft: ConfigDraft,
  write: ConfigWrite,
  path: string,
): Promise<ChangedConfig | Conflict> {
  const { key, reason } = write;
  const current = await draft.entity(key);
  if (current === null) refuseShared(deps, key);
  const at = deps.clock.now();
  switch (write.op) {
    case "put": {
      const definition = checked(deps, key, await write.make(draft, current), path);
      const enabled = write.enabled ?? undefined;
      const done = await draft.put({
        ...{ ...key, definition, digest: digestOf(definition), enabled, reason, at },
        ...{ expectedRevision: write.expectedRevision, createOnly: write.createOnly ?? false },
        ...{ references: referencesOf(key.kind, definition), agent: shownAgent(key, definition) },
      });
      if (done.outcome === "notFound") throw notFound("Definition");
      if (done.outcome === "conflict")
        return { current: done.current, diff: differences(done.current.definition, definition) };
      const { before, entity, change } = done;
      return { entity, change, diff: differences(before?.definition ?? null, entity.definition) };
    }
    case "delete": {
      const done = await draft.delete({ ...key, expectedRevision: write.expectedRevision, reason, at });
      if (done.outcome === "notFound") throw notFound("Definition");
      if (done.outcome === "conflict") return { current: done.current, diff: [] };
      return { entity: done.before, change: done.change, diff: differences(done.before.definition, null) };
    }
    case "label":
      return labelled(await draft.label({ ...key, ...(await labelWrite(draft, current, write)), reason, at }));
    case "pin":
      return labelled(await draft.pin({ ...key, ...(await pinWrite(draft, current, write)), reason, at }));
  }
}

/** Files and code are shared and read-only: nothing is written in their place. */
function refuseShared({ registry }: ConfigDeps, { kind, name, scope }: ConfigKey): void {
  const [shared] = isProjectLevel(scope) ? registry.shared(kind, name) : [];
  if (shared === undefined) return;
  const where = shared.source === "FILE" ? `the file ${shared.place}` : "the host program";
  throw new Refusal("FILE_MANAGED", `${name} is defined by ${where}; change it there`);
}

function checked({ tunables }: ConfigDeps, { kind }: ConfigKey, value: unknown, path: string): Record<string, unknown> {
  const refuse = (issues: readonly ConfigIssue[]) =>
    configInvalid(issues.map((issue) => ({ path: joined(path, issue.path), message: issue.message })));
  let definition: unknown;
  try {
    definition = checkJson("definition", value, tunables.maxDefinitionBytes);
  } catch (error) {
    throw error instanceof Refusal ? refuse(error.issues) : error;
  }
  if (!isObject(definition)) throw refuse([{ path: "", message: "a definition is a JSON object" }]);
  const { issues } = checkDefinition(kind, definition);
  if (issues.length > 0) throw refuse(issues);
  return definition;
}

const joined = (path: string, rest: string): string => (path === "" || rest === "" ? path + rest : `${path}.${rest}`);

const differences = (before: unknown, after: unknown): DefinitionDifference[] =>
  jsonDifferences(before ?? undefined, after ?? undefined).map(({ path, a, b }) => ({
    path,
    ...(a === undefined ? {} : { before: a }),
    ...(b === undefined ? {} : { after: b }),
  }));

function shownAgent({ kind, name }: ConfigKey, definition: Record<string, unknown>): ShownAgent | null {
  if (kind !== "AGENT") return null;
  const agent = checkDefinition("AGENT", definition).definition;
  return {
    displayName: agent?.displayName ?? name,
    description: agent?.description ?? null,
    inputSchema: agent?.inputSchema ?? null,
    outputSchema: agent?.responseFormat ?? null,
  };
}

/** What a label's move changes: when it is the one that applies, other names are used from now on. */
async function labelWrite(
  draft: ConfigDraft,
  current: ConfigEntityRecord | null,
  { key, label, revision }: { key: ConfigKey; label: string; revision: number | null },
) {
  const applies = current !== null && current.pinnedLabel === label && revision !== null;
  const state = applies ? await draft.revision(key, revision) : null;
  return { label, revision, references: state === null ? null : referencesOf(key.kind, state.definition) };
}

async function pinWrite(
  draft: ConfigDraft,
  current: ConfigEntityRecord | null,
  { key, label }: { key: ConfigKey; label: string | null },
) {
  const labels = label === null ? [] : await draft.labels(key);
  const revision = labels.find((one) => one.label === label)?.revision;
  const state = revision === undefined ? current : await draft.revision(key, revision);
  return { label, references: referencesOf(key.kind, state?.definition ?? {}) };
}

const missing = { entity: "Definition", revision: "Revision", label: "Label" } as const;

function labelled(done: LabelOutcome): ChangedConfig {
  if (done.outcome === "notFound") throw notFound(missing[done.what]);
  if (done.outcome === "pinned")
    throw configInvalid([{ path: "label", message: "the definition is pinned to it; pin it to another one first" }]);
  return { entity: done.entity, change: done.change, diff: [] };
}

/** What is wrong with the written definitions beside each other and what is there. */
async function issuesAfter(
  deps: ConfigDeps,
  draft: ConfigDraft,
  writes: readonly ConfigWrite[],
  saved: readonly ChangedConfig[],
): Promise<Issue[]> {
  const issues: Issue[] = [];
  for (const [i, write] of writes.entries()) {
    const entity = saved[i]?.entity;
    if (write.op !== "put" || entity === undefined) continue;
    const path = pathOfWrite(writes, i);
    for (const issue of await referenceIssues(deps, draft, entity))
      issues.push({ path: joined(path, issue.path), message: issue.message });
  }
  return issues;
}

async function referenceIssues(
  deps: ConfigDeps,
  draft: ConfigDraft,
  entity: ConfigEntityRecord,
): Promise<readonly ConfigIssue[]> {
  const { kind, definition, scope } = entity;
  const lookup = lookupAt(deps, draft, scope);
  if (kind === "AGENT") {
    const { limits } = deps.registry;
    return (await assembleAgent(foundEntity(entity), lookup, { limits, withoutProvider: true })).issues;
  }
  if (kind === "TOOL" && definition.type === "code" && typeof definition.tool === "string")
    return deps.registry.hasHostTool(definition.tool)
      ? []
      : [{ path: "tool", message: `the host program has no tool named ${definition.tool}` }];
  const named = referencesOf(kind, definition);
  const found = new Set((await lookup.find(named)).map((one) => `${one.kind}/${one.name}`));
  return named
    .filter((one) => !found.has(`${one.kind}/${one.name}`))
    .map(({ path, name }) => ({ path, message: `there is nothing named ${name} here` }));
}

/**
 * Draws the graphs of agents that were written, and gives the row of one that was deleted back to a file or to code. What
 * fails here is made good when the agent is next used: the definitions are written already.
 */
async function showAgents(deps: ConfigDeps, authority: Authority, saved: readonly ChangedConfig[]): Promise<void> {
  for (const { entity, change } of saved) {
    if (entity.kind !== "AGENT" || change === null) continue;
    try {
      if (change.operation === "DELETED") await restoreShared(deps, authority, entity);
      else await drawWritten(deps, authority, entity);
    } catch (error) {
      deps.log.warn({ err: error, agent: entity.name }, "could not refresh the list's row of an agent");
    }
  }
}

async function drawWritten(deps: ConfigDeps, authority: Authority, entity: ConfigEntityRecord): Promise<void> {
  const lookup = lookupAt(deps, deps.storage.config.reads(authority), entity.scope);
  const { agent } = await assembleAgent(foundEntity(entity), lookup, { limits: deps.registry.limits });
  if (agent === null) return;
  const graph = await drawAgent(deps, agent);
  const { id: configEntityId, revision } = entity;
  await deps.storage.agents.draw(authority.projectId, { configEntityId, revision, graph, at: deps.clock.now() });
}

async function restoreShared(
  deps: ConfigDeps,
  authority: Authority,
  { name, scope }: ConfigEntityRecord,
): Promise<void> {
  const agent = isProjectLevel(scope) ? await deps.registry.resolveAgent(name, scope) : null;
  if (agent !== null) await registerAgent(deps, authority.projectId, agent, await drawAgent(deps, agent));
}
