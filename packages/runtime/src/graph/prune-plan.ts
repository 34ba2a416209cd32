import type { NeededCheckpoints } from "../graph-host.ts";
import { type CheckpointOutline, rootOf } from "./checkpoint-tables.ts";
import { runOf } from "./run-checkpointer.ts";

/**
 * Which checkpoints of a thread nothing needs any more. A checkpoint is complete by itself, except where channels store
 * changes: there everything stays that leads to a kept one. Of subgraphs stays what was written during kept checkpoints,
 * and of those that remember across turns the newest before each kept one, where a fork would find it.
 */
export function checkpointsToRemove(
  outline: readonly CheckpointOutline[],
  needed: NeededCheckpoints,
): CheckpointOutline[] {
  const own = outline.filter(({ namespace }) => namespace === "");
  const kept = new Set<string>();
  const ended = new Set<string>();
  // Newest first: the first checkpoint of a run that comes by is its end.
  for (const { id, metadata } of own) {
    const runId = runOf(metadata) ?? "";
    const isEnd = needed.endsOfRunIds.has(runId) && !ended.has(runId);
    if (isEnd) ended.add(runId);
    if (isEnd || needed.checkpointIds.has(id) || needed.runIds.has(runId)) kept.add(id);
  }
  if (own.some(storesChanges)) keepAncestors(own, kept);
  const remembered = rememberedBySubgraphs(outline, kept);
  return outline.filter((entry) =>
    entry.namespace === "" ? !kept.has(entry.id) : !kept.has(rootOf(entry)) && !remembered.has(entry),
  );
}

/** LangGraph counts, for channels that store changes, how long ago each was stored whole. */
const storesChanges = ({ metadata }: CheckpointOutline): boolean =>
  "counters_since_delta_snapshot" in metadata || Object.keys(metadata).some((key) => key.includes("delta"));

function keepAncestors(own: readonly CheckpointOutline[], kept: Set<string>): void {
  const parents = new Map(own.map(({ id, parentId }) => [id, parentId]));
  for (const id of [...kept])
    for (let up = parents.get(id) ?? null; up !== null && !kept.has(up); up = parents.get(up) ?? null) kept.add(up);
}

/** A namespace without a task's id belongs to a subgraph that goes on where it was in the turn before. */
const isRemembering = (namespace: string): boolean => !namespace.split("|").some((part) => part.includes(":"));

function rememberedBySubgraphs(
  outline: readonly CheckpointOutline[],
  kept: ReadonlySet<string>,
): ReadonlySet<CheckpointOutline> {
  const remembered = new Set<CheckpointOutline>();
  const byNamespace = new Map<string, CheckpointOutline[]>();
  for (const entry of outline)
    if (entry.namespace !== "" && isRemembering(entry.namespace))
      byNamespace.set(entry.namespace, [...(byNamespace.get(entry.namespace) ?? []), entry]);
  for (const entries of byNamespace.values()) {
    const [newest] = entries;
    if (newest !== undefined) remembered.add(newest);
    for (const id of kept) {
      const before = entries.find((entry) => entry.id <= id);
      if (before !== undefined) remembered.add(before);
    }
  }
  return remembered;
}
