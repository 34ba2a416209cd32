import type { NewEvent } from "@wheelhouse/domain";
import type { RecordBatch } from "@wheelhouse/storage";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { emptyBatch } from "./merge-batch.ts";
import { NotRecorded, openRecorder } from "./record-events.ts";

const fence = { runId: "run", sessionId: "session", owner: "worker", generation: 1 };
const at = new Date(0);
const conclusion = { status: "SUCCEEDED" as const, at };
const custom = (value: unknown): RecordBatch => ({
  ...emptyBatch(),
  events: [{ type: "custom", payload: { value }, visibility: "END_USER", at }],
});
const delta = (text: string, index: number): RecordBatch => {
  const payload = { messageId: "m", role: "ASSISTANT" as const, text, index };
  return { ...emptyBatch(), events: [{ type: "message.delta", payload, visibility: "END_USER", at }] };
};
const told = (events: NewEvent[]) =>
  events.map((event) =>
    event.type === "message.delta" ? event.payload.text : event.type === "custom" ? event.payload.value : event.type,
  );

/** A log whose writes are answered when the test says so. */
function openLog() {
  const writes: { batch: RecordBatch; end: boolean; answer: (outcome: "recorded" | "fenced" | Error) => void }[] = [];
  const write = (batch: RecordBatch, end: boolean) =>
    new Promise<"recorded" | "fenced">((resolve, reject) => {
      const answer = (outcome: "recorded" | "fenced" | Error) =>
        outcome instanceof Error ? reject(outcome) : resolve(outcome);
      writes.push({ batch, end, answer });
    });
  const onFenced = vi.fn();
  const recorder = openRecorder({
    runs: {
      record: async (_, batch) =>
        (await write(batch, false)) === "fenced" ? { outcome: "fenced" } : { outcome: "recorded", lastSequence: 0 },
      finish: async (_, batch) => ((await write(batch, true)) === "fenced" ? "fenced" : "finished"),
    },
    fence,
    taskId: "task",
    tunables: { flushMs: 50, flushEvents: 4, flushBytes: 100 },
    onFenced,
  });
  return { writes, recorder, onFenced, last: () => writes.at(-1) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("recording", () => {
  it("waits for company, but not for longer than a flush", async () => {
    const { writes, recorder } = openLog();
    await recorder.add(custom(1));
    await recorder.add(custom(2));
    await vi.advanceTimersByTimeAsync(49);
    expect(writes).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(writes.map(({ batch }) => told(batch.events))).toEqual([[1, 2]]);
  });

  it("writes the first words of a message at once, with what came before them", async () => {
    const { writes, recorder } = openLog();
    await recorder.add(custom(1));
    await recorder.add(delta("He", 0));
    await recorder.add(delta("llo", 2));
    expect(writes.map(({ batch }) => told(batch.events))).toEqual([[1, "He"]]);
  });

  it("writes one batch at a time and keeps the order", async () => {
    const { writes, recorder, last } = openLog();
    await recorder.add(delta("a", 0));
    await recorder.add(custom(1));
    await vi.advanceTimersByTimeAsync(200);
    expect(writes).toHaveLength(1);
    last()?.answer("recorded");
    await vi.advanceTimersByTimeAsync(0);
    expect(writes.map(({ batch }) => told(batch.events))).toEqual([["a"], [1]]);
  });

  it("makes the graph wait while the database is behind", async () => {
    const { recorder, last } = openLog();
    await recorder.add(delta("a", 0));
    let taken = false;
    const full = { ...emptyBatch(), events: [1, 2, 3, 4].flatMap((i) => custom(i).events) };
    const adding = recorder.add(full).then(() => {
      taken = true;
    });
    await vi.advanceTimersByTimeAsync(500);
    expect(taken).toBe(false);
    last()?.answer("recorded");
    await adding;
    expect(taken).toBe(true);
  });

  it("writes the last batch and the end as one, after what is in flight", async () => {
    const { writes, recorder, last } = openLog();
    await recorder.add(delta("a", 0));
    await recorder.add(delta("b", 1));
    const finished = recorder.finish(delta("c", 2), conclusion);
    await vi.advanceTimersByTimeAsync(100);
    expect(writes).toHaveLength(1);
    last()?.answer("recorded");
    await vi.advanceTimersByTimeAsync(0);
    expect(writes.map(({ batch, end }) => [told(batch.events), end])).toEqual([
      [["a"], false],
      [["bc"], true],
    ]);
    last()?.answer("recorded");
    expect(await finished).toBe("finished");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(writes).toHaveLength(2);
  });

  it("says of what run and task an event is", async () => {
    const { recorder, last } = openLog();
    await recorder.add(delta("a", 0));
    expect(last()?.batch.events[0]).toMatchObject({ runId: "run", taskId: "task" });
  });

  it("stops for good when another owner has the run", async () => {
    const { writes, recorder, onFenced, last } = openLog();
    await recorder.add(delta("a", 0));
    await recorder.add(custom(1));
    last()?.answer("fenced");
    await vi.advanceTimersByTimeAsync(0);
    expect(onFenced).toHaveBeenCalledOnce();
    await recorder.add(custom(2));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await recorder.finish(custom(3), conclusion)).toBe("fenced");
    expect(writes).toHaveLength(1);
  });

  it("tells whoever adds next that a write failed, and writes nothing more", async () => {
    const { writes, recorder, last } = openLog();
    await recorder.add(delta("a", 0));
    last()?.answer(new Error("disk full"));
    await vi.advanceTimersByTimeAsync(0);
    await expect(recorder.add(custom(1))).rejects.toThrow(NotRecorded);
    await expect(recorder.finish(emptyBatch(), conclusion)).rejects.toThrow(NotRecorded);
    expect(writes).toHaveLength(1);
  });
});
