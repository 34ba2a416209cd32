import type { NewEvent } from "@wheelhouse/domain";
import type { RecordBatch, StepWrite } from "@wheelhouse/storage";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emptyBatch, PendingBatch } from "./merge-batch.ts";

const at = new Date(0);
const delta = (messageId: string, text: string, index: number): NewEvent => ({
  ...{ type: "message.delta", visibility: "END_USER", at },
  payload: { messageId, role: "ASSISTANT", text, index },
});
const custom = (value: unknown): NewEvent => ({ type: "custom", payload: { value }, visibility: "END_USER", at });
const events = (...list: NewEvent[]): RecordBatch => ({ ...emptyBatch(), events: list });
const shown = (batch: RecordBatch) =>
  batch.events.map((event) => (event.type === "message.delta" ? event.payload.text : event.type));

describe("PendingBatch", () => {
  it("makes phrases of the pieces of each message, also when two stream at once", () => {
    const pending = new PendingBatch();
    for (const [i, piece] of ["a", "b", "c"].entries()) {
      pending.add(events(delta("m", piece, i)));
      pending.add(events(delta("n", piece.toUpperCase(), i)));
    }
    expect(shown(pending.take())).toEqual(["abc", "ABC"]);
    expect(pending.isEmpty).toBe(true);
  });

  it("never moves a piece past another kind of event, nor into a batch that was taken", () => {
    const pending = new PendingBatch();
    pending.add(events(delta("m", "a", 0), custom(1), delta("m", "b", 1)));
    expect(shown(pending.take())).toEqual(["a", "custom", "b"]);
    pending.add(events(delta("m", "c", 2)));
    expect(shown(pending.take())).toEqual(["c"]);
  });

  it("says when a message begins, once", () => {
    const pending = new PendingBatch();
    expect(pending.add(events(custom(1)))).toBe(false);
    expect(pending.add(events(delta("m", "", 0)))).toBe(false);
    expect(pending.add(events(delta("m", "a", 0)))).toBe(true);
    expect(pending.add(events(delta("m", "b", 1)))).toBe(false);
    pending.take();
    expect(pending.add(events(delta("m", "c", 2)))).toBe(false);
    expect(pending.add(events(delta("n", "x", 0)))).toBe(true);
  });

  it("keeps phrases short enough to send", () => {
    const pending = new PendingBatch();
    for (let i = 0; i < 10; i++) pending.add(events(delta("m", "x".repeat(1_000), i * 1_000)));
    expect(shown(pending.take()).map((text) => text.length)).toEqual([4_000, 4_000, 2_000]);
  });

  it("leaves the text of every message and the order of the rest as they were", () => {
    const piece = fc.record({ id: fc.constantFrom("m", "n"), text: fc.string({ maxLength: 3 }), other: fc.boolean() });
    fc.assert(
      fc.property(fc.array(piece), fc.nat(5), (pieces, takeEvery) => {
        const pending = new PendingBatch();
        const told: NewEvent[] = [];
        const length: Record<string, number> = { m: 0, n: 0 };
        for (const [i, { id, text, other }] of pieces.entries()) {
          const index = length[id] ?? 0;
          pending.add(events(other ? custom(i) : delta(id, text, index)));
          if (!other) length[id] = index + text.length;
          if (i % (takeEvery + 1) === takeEvery) told.push(...pending.take().events);
        }
        told.push(...pending.take().events);
        for (const id of ["m", "n"]) {
          let whole = "";
          for (const event of told)
            if (event.type === "message.delta" && event.payload.messageId === id) {
              expect(event.payload.index).toBe(whole.length);
              whole += event.payload.text;
            }
          expect(whole).toBe(
            pieces
              .filter((p) => !p.other && p.id === id)
              .map((p) => p.text)
              .join(""),
          );
        }
        const others = told.flatMap((event) => (event.type === "custom" ? [event.payload.value] : []));
        expect(others).toEqual(pieces.flatMap(({ other }, i) => (other ? [i] : [])));
      }),
    );
  });

  it("writes a step that began and ended in one batch once, with what both said", () => {
    const pending = new PendingBatch();
    const step: StepWrite = {
      ...{ id: "s", parentStepId: null, name: "agent", kind: "NODE", status: "RUNNING", seq: 1, attempt: 1 },
      ...{ inputs: { a: 1 }, startedAt: at, finishedAt: null, durationMs: null },
    };
    pending.add({ ...emptyBatch(), steps: [step] });
    const end = { ...step, inputs: undefined, status: "COMPLETED" as const, output: 2, finishedAt: at, durationMs: 0 };
    pending.add({ ...emptyBatch(), steps: [end] });
    expect(pending.take().steps).toEqual([{ ...end, inputs: { a: 1 } }]);
    expect(step.status).toBe("RUNNING");
  });

  it("refuses an event that breaks its own promise", () => {
    const broken = { type: "custom", payload: null, visibility: "END_USER", at } as unknown as NewEvent;
    expect(() => new PendingBatch().add(events(broken))).toThrow();
  });
});
