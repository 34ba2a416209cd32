import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { validate } from "@langchain/langgraph-checkpoint-validation";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { executionKey, RunCheckpointer, runKey, runOf } from "./run-checkpointer.ts";

const wrap = (inner: BaseCheckpointSaver, isOpen = () => true) => new RunCheckpointer(inner, isOpen, () => {});

// The official suite is written for runners that put their words into the global scope.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it });
validate({ checkpointerName: "MemorySaver", createCheckpointer: () => wrap(new MemorySaver()) });
validate({
  checkpointerName: "@langchain/langgraph-checkpoint-sqlite",
  createCheckpointer: () => wrap(SqliteSaver.fromConnString(":memory:")),
});

const checkpoint = {
  v: 4,
  id: "1",
  ts: "2026-01-01T00:00:00Z",
  channel_values: {},
  channel_versions: {},
  versions_seen: {},
};
const metadata = { source: "loop" as const, step: 1, parents: {} };
const config = {
  configurable: { thread_id: "t", checkpoint_ns: "", [runKey]: "run-1", [executionKey]: "execution-1" },
};

it("says which run wrote a checkpoint", async () => {
  const saver = wrap(new MemorySaver());
  await saver.put(config, checkpoint, metadata, {});
  expect(runOf((await saver.getTuple(config))?.metadata)).toBe("run-1");
});

it("refuses the writes of a run that has ended", async () => {
  let open = true;
  const saver = wrap(new MemorySaver(), () => open);
  await saver.put(config, checkpoint, metadata, {});
  open = false;
  await expect(saver.put(config, { ...checkpoint, id: "2" }, metadata, {})).rejects.toThrow(/has ended/);
  await expect(saver.putWrites(config, [["a", 1]], "task")).rejects.toThrow(/has ended/);
  expect((await saver.getTuple(config))?.checkpoint.id).toBe("1");
});
