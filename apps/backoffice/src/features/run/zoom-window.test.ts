import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWhole, panBy, ticksOf, wholeOf, zoomBy, zoomTo } from "./zoom-window.ts";

describe("the zoom window", () => {
  it("keeps the point under the pointer where it is", () => {
    const window = zoomBy(wholeOf(1_000), 0.5, 250, 1_000);
    expect(window).toEqual({ from: 125, to: 625 });
  });

  it("never leaves the axis and never turns over, whatever is done to it", () => {
    const action = fc.oneof(
      fc.record({
        zoom: fc.double({ min: 0.01, max: 20, noNaN: true }),
        at: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      fc.record({ pan: fc.double({ min: -5_000, max: 5_000, noNaN: true }) }),
      fc.record({ to: fc.tuple(fc.nat(5_000), fc.nat(5_000)) }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.array(action, { maxLength: 20 }), (length, actions) => {
        let window = wholeOf(length);
        for (const a of actions) {
          if ("zoom" in a) window = zoomBy(window, a.zoom, window.from + (window.to - window.from) * a.at, length);
          else if ("pan" in a) window = panBy(window, a.pan, length);
          else window = zoomTo(Math.min(...a.to, length), Math.min(Math.max(...a.to), length), length);
          expect(window.from).toBeGreaterThanOrEqual(-1e-9);
          expect(window.to).toBeLessThanOrEqual(length + 1e-6);
          expect(window.to).toBeGreaterThan(window.from);
        }
      }),
    );
  });

  it("puts round ticks inside the window", () => {
    expect(ticksOf({ from: 90, to: 1_090 }, 5)).toEqual({ ticks: [200, 400, 600, 800, 1_000], step: 200 });
    expect(isWhole(wholeOf(7), 7)).toBe(true);
  });
});
