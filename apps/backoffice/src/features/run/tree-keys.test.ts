import { describe, expect, it } from "vitest";
import { layOutWaterfall } from "./lay-out-waterfall.ts";
import type { StepView } from "./live-view.ts";
import { keyAction } from "./tree-keys.ts";

const step = (stepId: string, seq: number, parentStepId: string | null): StepView => ({
  stepId,
  name: stepId,
  kind: "NODE",
  status: "COMPLETED",
  seq,
  runId: "r",
  parentStepId,
  startedAt: "2026-01-01T00:00:00.000Z",
  finishedAt: "2026-01-01T00:00:01.000Z",
  durationMs: 1000,
  error: null,
});

const steps = [step("a", 1, null), step("a1", 2, "a"), step("b", 3, null)];
const open = layOutWaterfall(steps, { now: 0, collapsed: new Set(), collapseGaps: false }).rows;
const closed = layOutWaterfall(steps, { now: 0, collapsed: new Set(["a"]), collapseGaps: false }).rows;
const press = (key: string) => ({ key, ctrlKey: false, metaKey: false, altKey: false });

describe("keyAction", () => {
  it("moves within the rows and stops at the ends", () => {
    expect(keyAction(press("j"), open, -1)).toEqual({ kind: "select", stepId: "a" });
    expect(keyAction(press("ArrowDown"), open, 2)).toEqual({ kind: "select", stepId: "b" });
    expect(keyAction(press("k"), open, 0)).toEqual({ kind: "select", stepId: "a" });
    expect(keyAction(press("End"), open, 0)).toEqual({ kind: "select", stepId: "b" });
    expect(keyAction(press("Escape"), open, 1)).toEqual({ kind: "select", stepId: null });
    expect(keyAction(press("Escape"), open, -1)).toBeNull();
  });

  it("opens, closes, and goes to parent and child", () => {
    expect(keyAction(press("ArrowLeft"), open, 0)).toEqual({ kind: "toggle", stepId: "a" });
    expect(keyAction(press("ArrowRight"), closed, 0)).toEqual({ kind: "toggle", stepId: "a" });
    expect(keyAction(press("ArrowRight"), open, 0)).toEqual({ kind: "select", stepId: "a1" });
    expect(keyAction(press("ArrowLeft"), open, 1)).toEqual({ kind: "select", stepId: "a" });
    expect(keyAction(press("ArrowRight"), open, 2)).toBeNull();
  });

  it("leaves combinations to others", () => {
    expect(keyAction({ ...press("k"), metaKey: true }, open, 0)).toBeNull();
    expect(keyAction(press("j"), [], -1)).toBeNull();
  });
});
