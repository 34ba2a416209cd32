import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type FeedNews, FeedReader } from "./feed-reader.ts";

/** A reader whose questions are answered by the test. */
function openReader() {
  const asked: FeedNews[] = [];
  const answers: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const reader = new FeedReader((news) => {
    asked.push(news);
    return new Promise<void>((resolve, reject) => answers.push({ resolve, reject }));
  });
  return { reader, asked, answers };
}

const run = (runId: string) => ({ runId });

describe("FeedReader", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("asks once for what comes together, and says which runs it was about", async () => {
    const { reader, asked } = openReader();
    reader.hear([]);
    reader.hear([run("a"), run("b")]);
    reader.hear([run("a"), { runId: null }]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toEqual([{ runIds: ["a", "b"], fresh: true }]);
  });

  it("has one question under way, and asks again for what happened meanwhile", async () => {
    const { reader, asked, answers } = openReader();
    reader.hear([run("a")]);
    await vi.advanceTimersByTimeAsync(1_000);
    reader.hear([run("b")]);
    reader.hear([run("c")]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked).toHaveLength(1);
    answers[0]?.resolve();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked.slice(1)).toEqual([{ runIds: ["b", "c"], fresh: false }]);
    answers[1]?.resolve();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveLength(2);
  });

  it("asks again after a failure, without forgetting what it was about", async () => {
    const { reader, asked, answers } = openReader();
    reader.hear([]);
    reader.hear([run("a")]);
    await vi.advanceTimersByTimeAsync(1_000);
    reader.hear([run("b")]);
    answers[0]?.reject(new Error("no network"));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked[1]).toEqual({ runIds: ["b", "a"], fresh: true });
  });

  it("is silent once it was stopped", async () => {
    const { reader, asked } = openReader();
    reader.hear([run("a")]);
    reader.stop();
    reader.hear([run("b")]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked).toEqual([]);
  });
});
