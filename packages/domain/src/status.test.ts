import { describe, expect, it } from "vitest";
import {
  canRunBecome,
  canTaskBecome,
  canTaskBeRetried,
  isActiveRun,
  isFinalTask,
  type RunEnding,
  runEndings,
  runStatuses,
  taskStatuses,
} from "./status.ts";

const allowed = <S extends string>(all: readonly S[], can: (from: S, to: S) => boolean): Record<string, S[]> =>
  Object.fromEntries(all.map((from) => [from, all.filter((to) => can(from, to))]));

describe("transitions", () => {
  it("of runs are these and no others", () => {
    expect(allowed(runStatuses, canRunBecome)).toEqual({
      QUEUED: ["RUNNING", "FAILED", "CANCELLED"],
      RUNNING: ["SUCCEEDED", "FAILED", "CANCELLED", "INTERRUPTED"],
      SUCCEEDED: [],
      FAILED: [],
      CANCELLED: [],
      INTERRUPTED: [],
    });
  });

  it("of tasks are these and no others", () => {
    expect(allowed(taskStatuses, canTaskBecome)).toEqual({
      SUBMITTED: ["WORKING", "FAILED", "CANCELLED", "REJECTED"],
      WORKING: ["INPUT_REQUIRED", "COMPLETED", "FAILED", "CANCELLED", "REJECTED"],
      INPUT_REQUIRED: ["WORKING", "FAILED", "CANCELLED"],
      COMPLETED: [],
      FAILED: [],
      CANCELLED: [],
      REJECTED: [],
    });
  });

  it("never leave a final state, and every state that is not final can be left", () => {
    for (const status of runStatuses)
      expect(runStatuses.some((to) => canRunBecome(status, to))).toBe(isActiveRun(status));
    for (const status of taskStatuses)
      expect(taskStatuses.some((to) => canTaskBecome(status, to))).toBe(!isFinalTask(status));
  });

  it("of a retry begin at a failed or cancelled task, and at no other", () => {
    expect(taskStatuses.filter(canTaskBeRetried)).toEqual(["FAILED", "CANCELLED"]);
    for (const status of taskStatuses.filter(canTaskBeRetried)) expect(isFinalTask(status)).toBe(true);
  });

  it("end a run in ways that its task can follow", () => {
    for (const [ending, { task, events }] of Object.entries(runEndings)) {
      expect(canRunBecome("RUNNING", ending as RunEnding)).toBe(true);
      expect(canTaskBecome("WORKING", task)).toBe(true);
      expect(events).toEqual([`run.${ending.toLowerCase()}`, `task.${task.toLowerCase()}`]);
    }
  });
});
