import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { layOutWaterfall, type WaterfallOptions } from "./lay-out-waterfall.ts";
import type { StepView } from "./live-view.ts";

const start = Date.UTC(2026, 0, 1);
const options: WaterfallOptions = { now: start + 60_000, collapsed: new Set(), collapseGaps: true };

const step = (id: string, seq: number, from: number, to: number | null, parent: string | null = null): StepView => ({
  stepId: id,
  name: id,
  kind: "NODE",
  status: to === null ? "RUNNING" : "COMPLETED",
  seq,
  runId: "r",
  parentStepId: parent,
  startedAt: new Date(start + from).toISOString(),
  finishedAt: to === null ? null : new Date(start + to).toISOString(),
  durationMs: to === null ? null : to - from,
  error: null,
});

const shape = (steps: StepView[], more: Partial<WaterfallOptions> = {}) =>
  layOutWaterfall(steps, { ...options, ...more }).rows.map((r) => [r.step.stepId, r.depth, r.from, r.to]);

const arbitrarySteps = fc
  .array(fc.record({ parent: fc.nat(40), from: fc.nat(20_000), length: fc.nat(5_000), open: fc.boolean() }), {
    maxLength: 40,
  })
  .map((drawn) =>
    drawn.map(({ parent, from, length, open }, i) => step(`s${i}`, i, from, open ? null : from + length, `s${parent}`)),
  );

describe("layOutWaterfall", () => {
  it("nests steps under their parents in executed order", () => {
    const steps = [
      step("b", 4, 50, 90, "root"),
      step("root", 1, 0, 100),
      step("a1", 3, 10, 20, "a"),
      step("a", 2, 5, 40, "root"),
    ];
    expect(shape(steps)).toEqual([
      ["root", 0, 0, 100],
      ["a", 1, 5, 40],
      ["a1", 2, 10, 20],
      ["b", 1, 50, 90],
    ]);
    expect(layOutWaterfall(steps, options).rows.map((r) => r.descendants)).toEqual([3, 1, 0, 0]);
  });

  it("hides what is beneath a collapsed step and still counts it", () => {
    const steps = [step("root", 1, 0, 100), step("a", 2, 5, 40, "root"), step("a1", 3, 10, 20, "a")];
    const { rows } = layOutWaterfall(steps, { ...options, collapsed: new Set(["root"]) });
    expect(rows.map((r) => [r.step.stepId, r.collapsed, r.descendants])).toEqual([["root", true, 2]]);
  });

  it("marks siblings that ran at the same time", () => {
    const steps = [step("a", 1, 0, 50), step("b", 2, 10, 30), step("c", 3, 50, 60)];
    expect(layOutWaterfall(steps, options).rows.map((r) => r.parallel)).toEqual([true, true, false]);
  });

  it("ends a running step now", () => {
    expect(shape([step("a", 1, 0, null)], { now: start + 700 })).toEqual([["a", 0, 0, 700]]);
  });

  it("collapses a stretch in which only parents waited", () => {
    const steps = [step("root", 1, 0, 20_000), step("a", 2, 0, 1_000, "root"), step("b", 3, 19_000, 20_000, "root")];
    const { axis, rows } = layOutWaterfall(steps, options);
    expect(axis.gaps).toEqual([{ at: 1_000, width: 50, ms: 18_000 }]);
    expect(axis.length).toBe(2_050);
    expect(rows.map((r) => [r.from, r.to])).toEqual([
      [0, 2_050],
      [0, 1_000],
      [1_050, 2_050],
    ]);
    expect(layOutWaterfall(steps, { ...options, collapseGaps: false }).axis.length).toBe(20_000);
  });

  it("shows every step once, whatever the parents say, with bars inside the axis and time that can be read back", () => {
    fc.assert(
      fc.property(arbitrarySteps, fc.boolean(), (steps, collapseGaps) => {
        const { rows, axis } = layOutWaterfall(steps, { ...options, collapseGaps });
        expect(rows.map((r) => r.step.stepId).sort()).toEqual(steps.map((s) => s.stepId).sort());
        for (const row of rows) {
          expect(row.from).toBeGreaterThanOrEqual(0);
          expect(row.to).toBeGreaterThanOrEqual(row.from);
          expect(row.to).toBeLessThanOrEqual(axis.length + 1e-6);
          expect(axis.toTime(axis.toDrawn(Date.parse(row.step.startedAt)))).toBeCloseTo(
            Date.parse(row.step.startedAt),
            3,
          );
        }
      }),
    );
  });

  it("keeps the order of time on a broken axis", () => {
    fc.assert(
      fc.property(arbitrarySteps, fc.nat(60_000), fc.nat(60_000), (steps, a, b) => {
        const { axis } = layOutWaterfall(steps, options);
        const [early, late] = a < b ? [a, b] : [b, a];
        expect(axis.toDrawn(start + early)).toBeLessThanOrEqual(axis.toDrawn(start + late) + 1e-9);
      }),
    );
  });

  it("lays out nothing, and a chain deeper than the stack", () => {
    expect(layOutWaterfall([], options).rows).toEqual([]);
    const chain = Array.from({ length: 20_000 }, (_, i) => step(`s${i}`, i, 0, 10, i === 0 ? null : `s${i - 1}`));
    const { rows } = layOutWaterfall(chain, options);
    expect([rows.length, rows.at(-1)?.depth, rows[0]?.descendants]).toEqual([20_000, 19_999, 19_999]);
  });
});
