import { beforeEach, describe, expect, it } from "vitest";
import { openAgentCache, type ResolvedName } from "./agent-cache.ts";

const checkMs = 500;
const wrong = (message: string): ResolvedName => ({ agent: null, issues: [{ path: "", message }] });

describe("agents that were resolved", () => {
  let now: number;
  /** Where the database says that the project's changes stand. */
  let position: number;
  let asked: number;
  let generation: number;
  let listeners: Set<() => void>;
  let resolved: number;
  beforeEach(() => {
    [now, position, asked, generation, listeners, resolved] = [1_000_000, 1, 0, 0, new Set(), 0];
  });

  const open = () =>
    openAgentCache({
      storage: {
        config: {
          position: async () => {
            asked++;
            return position;
          },
        },
        wakeUps: {
          onConfig: (_, wake) => {
            listeners.add(wake);
            return () => void listeners.delete(wake);
          },
        },
      },
      registry: {
        get generation() {
          return generation;
        },
      },
      clock: { now: () => new Date(now) },
      checkMs,
    });
  const resolve = async () => wrong(`resolved ${++resolved}`);

  it("are kept, and the database is not asked for a while", async () => {
    using cache = open();
    const first = await cache.get("p", "a", resolve);
    now += checkMs - 1;
    expect(await cache.get("p", "a", resolve)).toBe(first);
    expect([resolved, asked]).toEqual([1, 1]);
    await cache.get("p", "b", resolve);
    expect([resolved, asked]).toEqual([2, 1]);
  });

  it("are forgotten when their project is said to have changed, and no other project's are", async () => {
    using cache = open();
    await cache.get("p", "a", resolve);
    for (const wake of listeners) wake();
    expect(await cache.get("p", "a", resolve)).toEqual(wrong("resolved 2"));
  });

  it("are forgotten in time also when no wake-up comes", async () => {
    using cache = open();
    await cache.get("p", "a", resolve);
    position++;
    now += checkMs;
    expect(await cache.get("p", "a", resolve)).toEqual(wrong("resolved 2"));
    now += checkMs;
    await cache.get("p", "a", resolve);
    expect(resolved).toBe(2);
  });

  it("are not kept for ever by a clock that was set back", async () => {
    using cache = open();
    await cache.get("p", "a", resolve);
    position++;
    now -= 3_600_000;
    expect(await cache.get("p", "a", resolve)).toEqual(wrong("resolved 2"));
  });

  it("are not kept when something changed while they were read", async () => {
    using cache = open();
    const stale = await cache.get("p", "a", async () => {
      for (const wake of listeners) wake();
      return resolve();
    });
    expect(stale).toEqual(wrong("resolved 1"));
    expect(await cache.get("p", "a", resolve)).toEqual(wrong("resolved 2"));
  });

  it("are forgotten when the workspace was read again", async () => {
    using cache = open();
    await cache.get("p", "a", resolve);
    generation++;
    expect(await cache.get("p", "a", resolve)).toEqual(wrong("resolved 2"));
  });

  it("leave no listener behind", async () => {
    const cache = open();
    await cache.get("p", "a", resolve);
    cache[Symbol.dispose]();
    expect(listeners.size).toBe(0);
  });
});
