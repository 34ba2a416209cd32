import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { CheckpointSummary, GraphState, NeededCheckpoints } from "../graph-host.ts";
import { type CheckpointKey, type CheckpointOutline, type CheckpointTables, rootOf } from "./checkpoint-tables.ts";
import { recordable } from "./payload.ts";
import { checkpointsToRemove } from "./prune-plan.ts";
import { nextKey, runOf } from "./run-checkpointer.ts";

/** Reads, copies and prunes what graphs have stored of conversations. Runs nothing. */
export class CheckpointHistory {
  readonly #tables: CheckpointTables;
  readonly #saver: BaseCheckpointSaver;

  constructor(tables: CheckpointTables, saver: BaseCheckpointSaver) {
    this.#tables = tables;
    this.#saver = saver;
  }

  async page(threadId: string, page: { before: string | null; limit: number }): Promise<CheckpointSummary[]> {
    return (await this.#tables.page(threadId, page)).map(summaryOf);
  }

  async lineage(threadId: string, checkpointId: string): Promise<ReadonlySet<string>> {
    return lineageOf(await this.#tables.outline(threadId), checkpointId);
  }

  async state(threadId: string, checkpointId: string): Promise<GraphState | null> {
    const configurable = { thread_id: threadId, checkpoint_ns: "", checkpoint_id: checkpointId };
    const tuple = await this.#saver.getTuple({ configurable });
    if (tuple === undefined) return null;
    const parentId: unknown = tuple.parentConfig?.configurable?.checkpoint_id;
    return {
      checkpoint: summaryOf({
        namespace: "",
        id: checkpointId,
        parentId: typeof parentId === "string" ? parentId : null,
        metadata: { ...tuple.metadata },
      }),
      channels: Object.entries(tuple.checkpoint.channel_values)
        .filter(([name]) => !isBookkeeping(name))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => {
          const text = JSON.stringify(recordable(value, { maxBytes: Number.POSITIVE_INFINITY })) ?? "null";
          return { name, text, bytes: Buffer.byteLength(text) };
        }),
    };
  }

  async copy(from: string, to: string, checkpointId: string): Promise<boolean> {
    const outline = await this.#tables.outline(from);
    const lineage = lineageOf(outline, checkpointId);
    if (lineage.size === 0) return false;
    const keys = outline.filter((entry) => lineage.has(entry.namespace === "" ? entry.id : rootOf(entry)));
    // What came after the checkpoint is another conversation's.
    const before = keys.filter(({ id }) => id !== checkpointId);
    await this.#tables.copy(from, to, keys.map(keyOf), before.map(keyOf));
    return true;
  }

  async prune(threadId: string, needed: () => Promise<NeededCheckpoints | null>): Promise<number> {
    const outline = await this.#tables.outline(threadId);
    const keep = await needed();
    if (keep === null) return 0;
    const gone = checkpointsToRemove(outline, keep).map(keyOf);
    if (gone.length > 0) await this.#tables.remove(threadId, gone);
    return gone.length;
  }
}

const keyOf = ({ namespace, id }: CheckpointOutline): CheckpointKey => ({ namespace, id });

/** Channels of LangGraph itself: the input, branches to nodes, sends, what a functional workflow returned. */
const isBookkeeping = (channel: string): boolean => channel.startsWith("__") || channel.startsWith("branch:");

function lineageOf(outline: readonly CheckpointOutline[], checkpointId: string): ReadonlySet<string> {
  const parents = new Map(
    outline.filter(({ namespace }) => namespace === "").map(({ id, parentId }) => [id, parentId]),
  );
  const lineage = new Set<string>();
  for (let id: string | null = checkpointId; id !== null && parents.has(id); id = parents.get(id) ?? null)
    lineage.add(id);
  return lineage;
}

function summaryOf({ id, parentId, metadata }: CheckpointOutline): CheckpointSummary {
  const next: unknown = metadata[nextKey];
  return {
    id,
    parentId,
    step: typeof metadata.step === "number" ? metadata.step : null,
    source: typeof metadata.source === "string" ? metadata.source : "loop",
    next: Array.isArray(next) ? next.filter((node) => typeof node === "string") : null,
    runId: runOf(metadata),
    createdAt: timeOf(id),
  };
}

/** Hundreds of nanoseconds between 1582, where such ids begin to count, and 1970. */
const ticksBefore1970 = 122_192_928_000_000_000n;

/** Checkpoint ids are UUIDs of version 6: their time stands in front, in ticks of 100 ns. */
function timeOf(checkpointId: string): Date {
  const hex = checkpointId.replaceAll("-", "");
  if (!/^[0-9a-f]{12}6[0-9a-f]{19}$/.test(hex)) return new Date(0);
  const ticks = BigInt(`0x${hex.slice(0, 12)}${hex.slice(13, 16)}`);
  return new Date(Number((ticks - ticksBefore1970) / 10_000n));
}
