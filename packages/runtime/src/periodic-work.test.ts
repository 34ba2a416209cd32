import { describe, expect, it, vi } from "vitest";
import type { RuntimeDeps } from "./deps.ts";
import { startPeriodicWork } from "./periodic-work.ts";

function logOnly(): { deps: RuntimeDeps; error: ReturnType<typeof vi.fn> } {
  const error = vi.fn();
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error };
  // Sweeps of these tests look at nothing else.
  return { deps: { log } as unknown as RuntimeDeps, error };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe("periodic work", () => {
  it("sweeps at once, again after its rest, and on after a failure", async () => {
    const { deps, error } = logOnly();
    const sweeps: number[] = [];
    const third = deferred();
    const work = {
      name: "counting",
      everyMs: 1,
      async sweep() {
        sweeps.push(sweeps.length + 1);
        if (sweeps.length === 2) throw new Error("the database is away");
        if (sweeps.length === 3) third.resolve();
      },
    };
    await using running = startPeriodicWork(deps, [work]);
    await third.promise;
    expect(error).toHaveBeenCalledOnce();
    expect(error.mock.calls[0]?.[0]).toMatchObject({ work: "counting" });
    expect(running).toBeDefined();
  });

  it("never sweeps the same work twice at once, and waits for the one under way when it is disposed", async () => {
    const { deps } = logOnly();
    const begun = deferred();
    let atOnce = 0;
    let most = 0;
    let ended = false;
    const work = {
      name: "slow",
      everyMs: 0,
      async sweep(_: RuntimeDeps, signal: AbortSignal) {
        most = Math.max(most, ++atOnce);
        begun.resolve();
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => setImmediate(resolve)));
        atOnce -= 1;
        ended = true;
      },
    };
    const running = startPeriodicWork(deps, [work]);
    await begun.promise;
    await running[Symbol.asyncDispose]();
    expect({ most, ended }).toEqual({ most: 1, ended: true });
  });
});
