import type { RunnableConfig } from "@langchain/core/runnables";
import { type BaseCheckpointSaver, type CheckpointTuple, MemorySaver } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { validate } from "@langchain/langgraph-checkpoint-validation";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type CheckpointedExecution,
  executionKey,
  generationKey,
  nextKey,
  RunCheckpointer,
  runKey,
  runOf,
} from "./run-checkpointer.ts";

const wrap = (inner: BaseCheckpointSaver, executions = new Map<string, CheckpointedExecution>()) =>
  new RunCheckpointer(inner, executions, () => {});

/** A saver as each thread's own execution sees it, without the marks: the official suite knows nothing of executions. */
class OfEveryThread extends RunCheckpointer {
  readonly #saver: BaseCheckpointSaver;

  constructor(saver: BaseCheckpointSaver) {
    const executions = new Map<string, CheckpointedExecution>();
    super(saver, executions, () => {});
    this.#saver = saver;
    const known = executions.get.bind(executions);
    executions.get = (threadId) => {
      if (!executions.has(threadId)) executions.set(threadId, execution({ threadId }));
      return known(threadId);
    };
  }

  override async getTuple(config: RunnableConfig) {
    const tuple = await super.getTuple(ownOf(config));
    return tuple === undefined ? undefined : unmarked(tuple);
  }

  override async *list(...[config, options]: Parameters<RunCheckpointer["list"]>) {
    // Every thread's at once is what no execution gets, and what the suite asks of a saver.
    const isOne = config.configurable?.thread_id !== undefined;
    const found = isOne ? super.list(ownOf(config), options) : this.#saver.list(config, options);
    for await (const tuple of found) yield unmarked(tuple);
  }

  override async put(...[config, ...more]: Parameters<RunCheckpointer["put"]>) {
    return unnamed(await super.put(ownOf(config), ...more));
  }

  override putWrites(...[config, ...more]: Parameters<RunCheckpointer["putWrites"]>) {
    return super.putWrites(ownOf(config), ...more);
  }

  override deleteThread(threadId: string) {
    return this.#saver.deleteThread(threadId);
  }
}

const ownOf = (config: RunnableConfig): RunnableConfig => ({
  ...config,
  configurable: { ...config.configurable, [executionKey]: config.configurable?.thread_id },
});

function unnamed(config: RunnableConfig): RunnableConfig {
  const { [executionKey]: _, ...configurable } = config.configurable ?? {};
  return { ...config, configurable };
}

function unmarked(tuple: CheckpointTuple): CheckpointTuple {
  const metadata = tuple.metadata && { ...tuple.metadata };
  for (const mark of [runKey, generationKey, nextKey])
    if (metadata !== undefined) Reflect.deleteProperty(metadata, mark);
  return { ...tuple, config: unnamed(tuple.config), ...(metadata && { metadata }) };
}

// The official suite is written for runners that put their words into the global scope.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it });
validate({ checkpointerName: "MemorySaver", createCheckpointer: () => new OfEveryThread(new MemorySaver()) });
validate({
  checkpointerName: "@langchain/langgraph-checkpoint-sqlite",
  createCheckpointer: () => new OfEveryThread(SqliteSaver.fromConnString(":memory:")),
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
const at = (thread_id: string, executionId = "execution-1") => ({
  configurable: { thread_id, checkpoint_ns: "", [executionKey]: executionId },
});
const config = at("t");

const execution = (more: Partial<CheckpointedExecution> = {}): CheckpointedExecution => ({
  threadId: "t",
  runId: "run-1",
  generation: 2,
  checkpointId: null,
  triggers: new Map([["answer", ["branch:to:answer"]]]),
  ...more,
});

it("says which run wrote a checkpoint, by which owner, and what comes next", async () => {
  const saver = wrap(new MemorySaver(), new Map([["execution-1", execution()]]));
  const waiting = {
    ...checkpoint,
    channel_values: { "branch:to:answer": null, __pregel_tasks: [{ node: "worker" }] },
    channel_versions: { "branch:to:answer": 2.5 },
    versions_seen: { answer: { "branch:to:answer": 1.25 } },
  };
  await saver.put(config, waiting, metadata, {});
  const tuple = await saver.getTuple(config);
  expect(runOf(tuple?.metadata)).toBe("run-1");
  expect(tuple?.metadata).toMatchObject({ [generationKey]: 2, [nextKey]: ["answer", "worker"] });
});

it("refuses the writes of a run that has ended", async () => {
  const executions = new Map([["execution-1", execution()]]);
  const inner: BaseCheckpointSaver = new MemorySaver();
  const saver = wrap(inner, executions);
  await saver.put(config, checkpoint, metadata, {});
  executions.clear();
  await expect(saver.put(config, { ...checkpoint, id: "2" }, metadata, {})).rejects.toThrow(/has ended/);
  await expect(saver.putWrites(config, [["a", 1]], "task")).rejects.toThrow(/has ended/);
  expect(await saver.getTuple(config)).toBeUndefined();
  expect((await inner.getTuple(config))?.checkpoint.id).toBe("1");
});

it("shows a run the checkpoint where its conversation stands, whatever else is newer", async () => {
  const inner: BaseCheckpointSaver = new MemorySaver();
  const executions = new Map([["execution-1", execution()]]);
  const saver = wrap(inner, executions);
  const of = { configurable: { thread_id: "t", checkpoint_ns: "" } };
  for (const id of ["1", "2", "9"]) await inner.put(of, { ...checkpoint, id }, metadata, {});
  expect(await saver.getTuple(config)).toBeUndefined();
  executions.set("execution-1", execution({ checkpointId: "2" }));
  expect((await saver.getTuple(config))?.checkpoint.id).toBe("2");
  await saver.put(config, { ...checkpoint, id: "3" }, metadata, {});
  expect((await saver.getTuple(config))?.checkpoint.id).toBe("3");
  const named = { configurable: { ...config.configurable, checkpoint_id: "9" } };
  expect((await saver.getTuple(named))?.checkpoint.id).toBe("9");
});

it("never gives two values one version", () => {
  const saver = wrap(new MemorySaver());
  const versions = Array.from({ length: 20 }, () => saver.getNextVersion(7.75));
  expect(new Set(versions).size).toBe(20);
  for (const version of versions) {
    expect(version).toBeGreaterThanOrEqual(8);
    expect(version).toBeLessThan(9);
  }
  expect(saver.getNextVersion(undefined)).toBeGreaterThanOrEqual(1);
});

/** Every method that takes a thread. */
const methods: Record<string, (saver: BaseCheckpointSaver, config: RunnableConfig) => Promise<unknown>> = {
  get: (saver, config) => saver.get(config),
  getTuple: (saver, config) => saver.getTuple(config),
  list: async (saver, config) => {
    const found = [];
    for await (const tuple of saver.list(config)) found.push(tuple);
    return found;
  },
  put: (saver, config) => saver.put(config, { ...checkpoint, id: "9" }, metadata, {}),
  putWrites: (saver, config) => saver.putWrites(config, [["a", "stolen"]], "task"),
  getDeltaChannelHistory: (saver, config) => saver.getDeltaChannelHistory({ config, channels: ["messages"] }),
  deleteThread: (saver, config) => saver.deleteThread(String(config.configurable?.thread_id)),
};

const strangers: Record<string, RunnableConfig> = {
  "another thread": at("foreign"),
  "another thread's checkpoint": { configurable: { ...at("foreign").configurable, checkpoint_id: "1" } },
  "another thread's subgraph": { configurable: { ...at("foreign").configurable, checkpoint_ns: "below" } },
  "another thread in the name of an execution that does not exist": at("foreign", "nobody"),
  "another thread without a name": { configurable: { thread_id: "foreign", checkpoint_ns: "" } },
  "no thread": { configurable: { [executionKey]: "execution-1" } },
  nothing: {},
};

describe.each([
  ["memory", () => new MemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
] as const)("the checkpoints of another thread in %s", (_name, open) => {
  for (const [stranger, asked] of Object.entries(strangers))
    for (const [name, call] of Object.entries(methods))
      it(`are not there for ${name} of ${stranger}`, async () => {
        const inner: BaseCheckpointSaver = open();
        const saver = wrap(inner, new Map([["execution-1", execution()]]));
        for (const checkpoint_ns of ["", "below"])
          await inner.put({ configurable: { thread_id: "foreign", checkpoint_ns } }, checkpoint, metadata, {});
        await saver.put(config, checkpoint, metadata, {});
        const answer = await call(saver, asked).catch((error: unknown) => error);
        if (name.startsWith("put") || name === "deleteThread") expect(answer).toBeInstanceOf(Error);
        else expect([undefined, [], {}]).toContainEqual(answer);
        const after = await inner.getTuple({ configurable: { thread_id: "foreign", checkpoint_ns: "" } });
        expect([after?.checkpoint.id, after?.pendingWrites]).toEqual(["1", []]);
        expect((await saver.getTuple(config))?.checkpoint.id).toBe("1");
      });
});
