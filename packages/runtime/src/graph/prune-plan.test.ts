import { describe, expect, it } from "vitest";
import type { NeededCheckpoints } from "../graph-host.ts";
import type { CheckpointOutline } from "./checkpoint-tables.ts";
import { checkpointsToRemove } from "./prune-plan.ts";
import { runKey } from "./run-checkpointer.ts";

const entry = (
  id: string,
  more: Partial<CheckpointOutline> & { run?: string; root?: string } = {},
): CheckpointOutline => {
  const { run, root, metadata, ...rest } = more;
  const marks = { ...(run && { [runKey]: run }), ...(root && { parents: { "": root } }), ...metadata };
  return { namespace: "", id, parentId: null, metadata: marks, ...rest };
};

const needed = (more: Partial<NeededCheckpoints>): NeededCheckpoints => ({
  checkpointIds: new Set(),
  runIds: new Set(),
  endsOfRunIds: new Set(),
  ...more,
});

const removed = (outline: CheckpointOutline[], more: Partial<NeededCheckpoints>) =>
  checkpointsToRemove(outline, needed(more)).map(({ namespace, id }) => `${namespace}${id}`);

describe("what pruning removes", () => {
  const chain = [
    entry("6", { parentId: "5", run: "c" }),
    entry("5", { parentId: "4", run: "c" }),
    entry("4", { parentId: "3", run: "b" }),
    entry("3", { parentId: "2", run: "b" }),
    entry("2", { parentId: "1", run: "a" }),
    entry("1", { run: "a" }),
  ];

  it("is everything but what is named, what a run wrote, and how a run ended", () => {
    expect(removed(chain, { checkpointIds: new Set(["2"]), runIds: new Set(["c"]) })).toEqual(["4", "3", "1"]);
    expect(removed(chain, { endsOfRunIds: new Set(["b"]) })).toEqual(["6", "5", "3", "2", "1"]);
  });

  it("is nothing that a channel of changes is read back from", () => {
    const delta = chain.map((each) => ({ ...each, metadata: { ...each.metadata, counters_since_delta_snapshot: {} } }));
    expect(removed(delta, { checkpointIds: new Set(["4"]) })).toEqual(["6", "5"]);
  });

  it("takes a subgraph's checkpoints with the step they were written in", () => {
    const sub = [
      ...chain,
      entry("2b", { namespace: "tool:x", root: "2" }),
      entry("4b", { namespace: "tool:y", root: "4" }),
    ];
    expect(removed(sub, { checkpointIds: new Set(["4", "6"]) })).toEqual(["5", "3", "2", "1", "tool:x2b"]);
  });

  it("leaves a subgraph that remembers where a fork would find it", () => {
    const memory = ["5b", "4b", "3b", "1b"].map((id) => entry(id, { namespace: "memory", root: id.charAt(0) }));
    const gone = removed([...chain, ...memory], { checkpointIds: new Set(["4", "6"]) });
    expect(gone).toEqual(["5", "3", "2", "1", "memory1b"]);
  });
});
