import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countWaiting, type LiveRows, mergePatch, release } from "./live-merge.ts";

interface Row {
  id: string;
  at: number;
}

const newestFirst = (a: Row, b: Row) => b.at - a.at || (a.id < b.id ? 1 : -1);
const row = (id: string, at: number): Row => ({ id, at });
const start = (...rows: Row[]): LiveRows<Row> => ({ rows, waiting: new Map() });
const show = ({ rows }: LiveRows<Row>) => rows.map((each) => `${each.id}${each.at}`).join(" ");
const free = { hold: false, compare: newestFirst, hasMore: true };
const held = { ...free, hold: true };

describe("mergePatch", () => {
  const list = start(row("c", 30), row("b", 20), row("a", 10));

  it("moves, adds and removes at once when nobody holds the list", () => {
    const next = mergePatch(list, { upserted: [row("a", 40), row("d", 35)], removed: ["b"] }, free);
    expect(show(next)).toBe("a40 d35 c30");
    expect(next.waiting.size).toBe(0);
  });

  it("changes rows in place and lets the rest wait while the list is held", () => {
    const next = mergePatch(list, { upserted: [row("a", 40), row("d", 35), row("c", 31)], removed: ["b"] }, held);
    expect(show(next)).toBe("c31 b20 a40");
    expect(countWaiting(next)).toEqual({ fresh: 1, moved: 1 });
    expect(show(release(next, newestFirst))).toBe("a40 d35 c31 b20");
  });

  it("leaves rows behind the loaded end to their page", () => {
    expect(show(mergePatch(list, { upserted: [row("z", 5)], removed: [] }, free))).toBe("c30 b20 a10");
    expect(show(mergePatch(list, { upserted: [row("z", 5)], removed: [] }, { ...free, hasMore: false }))).toBe(
      "c30 b20 a10 z5",
    );
  });

  it("forgets a waiting row that left again, and answers the same state for nothing", () => {
    const waiting = mergePatch(list, { upserted: [row("d", 35)], removed: [] }, held);
    expect(countWaiting(mergePatch(waiting, { upserted: [], removed: ["d"] }, held)).fresh).toBe(0);
    expect(mergePatch(list, { upserted: [], removed: [] }, held)).toBe(list);
  });

  it("ends sorted and whole, however holding and patches alternate", () => {
    const patches = fc.array(
      fc.record({
        hold: fc.boolean(),
        upserted: fc.uniqueArray(fc.record({ id: fc.constantFrom(..."abcdefgh"), at: fc.nat(100) }), {
          selector: (each) => each.id,
        }),
      }),
    );
    fc.assert(
      fc.property(patches, (steps) => {
        const truth = new Map<string, Row>();
        let state = start();
        for (const { hold, upserted } of steps) {
          for (const each of upserted) truth.set(each.id, each);
          state = mergePatch(state, { upserted, removed: [] }, { hold, compare: newestFirst, hasMore: false });
        }
        const expected = [...truth.values()].sort(newestFirst);
        expect(release(state, newestFirst).rows).toEqual(expected);
      }),
    );
  });
});
