import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FoldableEvent, foldMessage, messagesOf, type Transcript } from "./message.ts";

const fold = (events: readonly FoldableEvent[]): Transcript =>
  events.reduce<Transcript>((transcript, event) => foldMessage(transcript, event), new Map());

/** A well-formed log of a few messages told at once, as parallel branches do. */
const log = fc
  .array(
    fc.record({
      pieces: fc.array(fc.string({ minLength: 1, unit: "grapheme" }), { maxLength: 5 }),
      end: fc.constantFrom("completed", "discarded", "open"),
    }),
    { maxLength: 4 },
  )
  .chain((messages) => {
    const scripts = messages.map(({ pieces, end }, i) => {
      const payload = { messageId: `m${i}`, role: "ASSISTANT" };
      let index = 0;
      const deltas = pieces.map((text) => {
        const delta = { type: "message.delta", payload: { ...payload, text, index } };
        index += text.length;
        return delta;
      });
      const last = end === "open" ? [] : [{ type: `message.${end}`, payload: { ...payload, length: index } }];
      return [{ type: "message.started", payload }, ...deltas, ...last];
    });
    const order = scripts.flatMap((script, i) => script.map(() => i));
    return fc.shuffledSubarray(order, { minLength: order.length }).map((turns) => {
      const next = scripts.map(() => 0);
      const events: FoldableEvent[] = [];
      for (const turn of turns) {
        const told = scripts[turn]?.[next[turn] ?? 0];
        next[turn] = (next[turn] ?? 0) + 1;
        if (told) events.push({ ...told, sequence: events.length + 1, runId: "r" });
      }
      return { messages, events };
    });
  });

describe("foldMessage", () => {
  it("puts together what was told, however the messages interleave", () => {
    fc.assert(
      fc.property(log, ({ messages, events }) => {
        const transcript = fold(events);
        messages.forEach(({ pieces, end }, i) => {
          const state = { completed: "complete", discarded: "discarded", open: "streaming" }[end];
          expect(transcript.get(`m${i}`)).toMatchObject({ text: pieces.join(""), state, runId: "r" });
        });
        expect(messagesOf(transcript)).toHaveLength(messages.filter(({ end }) => end !== "discarded").length);
      }),
    );
  });

  it("is not moved by events that come again", () => {
    fc.assert(
      fc.property(log, fc.infiniteStream(fc.nat()), ({ events }, picks) => {
        const repeated = events.flatMap((event, i) => {
          const again = events[(picks.next().value ?? 0) % (i + 1)];
          return again ? [event, again] : [event];
        });
        expect(fold(repeated)).toEqual(fold(events));
        const told = fold(events);
        for (const event of events) expect(foldMessage(told, event)).toBe(told);
      }),
    );
  });

  it("never shows text that was not told, in whatever order events arrive", () => {
    fc.assert(
      fc.property(
        log.chain(({ messages, events }) =>
          fc.shuffledSubarray(events, { minLength: events.length }).map((mixed) => ({ messages, mixed })),
        ),
        ({ messages, mixed }) => {
          const transcript = fold(mixed);
          messages.forEach(({ pieces }, i) => {
            expect(pieces.join("").startsWith(transcript.get(`m${i}`)?.text ?? "")).toBe(true);
          });
        },
      ),
    );
  });

  it("lets a recovery tell a discarded message again", () => {
    const payload = { messageId: "m", role: "ASSISTANT" };
    const events = [
      { type: "message.started", payload },
      { type: "message.delta", payload: { ...payload, text: "half", index: 0 } },
      { type: "message.discarded", payload },
      { type: "message.started", payload },
      { type: "message.delta", payload: { ...payload, text: "whole", index: 0 } },
      { type: "message.completed", payload: { ...payload, length: 5 } },
    ].map((event, i) => ({ ...event, sequence: i + 1, runId: null }));
    expect(messagesOf(fold(events))).toMatchObject([{ text: "whole", state: "complete", sequence: 4 }]);
    expect(messagesOf(fold([...events.slice(0, 3), ...events.slice(0, 1)]))).toEqual([]);
  });

  it("orders by the event that began a message and keeps user turns whole", () => {
    const events: FoldableEvent[] = [
      { sequence: 1, type: "message.user", payload: { messageId: "u", role: "USER", text: "hi" }, runId: null },
      { sequence: 2, type: "message.started", payload: { messageId: "a", role: "TOOL" }, runId: "r" },
      { sequence: 3, type: "task.submitted", payload: { messageId: "a" }, runId: "r" },
      { sequence: 4, type: "message.invented_later", payload: { messageId: "a" }, runId: "r" },
    ];
    expect(messagesOf(fold(events)).map((m) => [m.messageId, m.role, m.text, m.state])).toEqual([
      ["u", "USER", "hi", "complete"],
      ["a", "TOOL", "", "streaming"],
    ]);
  });
});
