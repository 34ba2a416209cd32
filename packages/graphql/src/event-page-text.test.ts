import fc from "fast-check";
import { execute, parse, validate } from "graphql";
import { describe, expect, it } from "vitest";
import type { EventPageShape, EventRow } from "./event.ts";
import { eventPageText } from "./event-page-text.ts";
import { buildSchema } from "./schema.ts";

const schema = buildSchema();

const event: fc.Arbitrary<EventRow> = fc.record({
  id: fc.uuid(),
  sequence: fc.nat(),
  type: fc.constantFrom("message.delta", "run.succeeded", "of a newer writer"),
  visibility: fc.constantFrom("END_USER", "OPERATOR", "INTERNAL"),
  at: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-01-01") }),
  sessionId: fc.uuid(),
  runId: fc.option(fc.uuid()),
  taskId: fc.option(fc.uuid()),
  payload: fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()),
});

const page: fc.Arbitrary<EventPageShape> = fc.record({
  events: fc.array(event, { maxLength: 4 }),
  endCursor: fc.base64String(),
  caughtUp: fc.boolean(),
  terminal: fc.boolean(),
});

/** Selections of an event, and of a page around one; fragments and aliases as clients write them. */
const ofEvent = fc
  .uniqueArray(
    fc.constantFrom(
      ...["id", "sequence", "type", "visibility", "at", "sessionId", "runId", "taskId", "payload", "__typename"],
      ...["number: sequence", "what: payload", "... on Event { id at }", "... on LogEvent { type again: type }"],
      ...["... { runId }", "...EventParts"],
    ),
    { minLength: 1 },
  )
  .map((fields) => fields.join(" "));

const ofPage = fc
  .uniqueArray(fc.constantFrom("endCursor", "caughtUp", "terminal", "__typename", "end: endCursor", "...PageParts"))
  .chain((fields) =>
    fc.tuple(fc.array(ofEvent, { minLength: fields.length === 0 ? 1 : 0, maxLength: 2 }), fc.constant(fields)),
  )
  .map(([events, fields]) => [...fields, ...events.map((selection) => `events { ${selection} }`)].join(" "));

const document = fc
  .tuple(fc.constantFrom("sessionEvents(sessionId: $id)", "log: runEvents(runId: $id)"), ofPage, ofEvent)
  .map(([root, selection, parts]) => {
    const fragments = [
      `fragment EventParts on Event { ${parts.replace("...EventParts", "id")} }`,
      "fragment PageParts on EventPage { caughtUp events { ...EventParts sequence } }",
    ];
    const operation = `subscription ($id: ID!) { ${root} { ${selection} } }`;
    const needed = selection.includes("PageParts")
      ? fragments
      : fragments.slice(0, selection.includes("EventParts") ? 1 : 0);
    return [operation, ...needed].join("\n");
  });

describe("the text of an event page", () => {
  it("is what an execution answers, key by key and in the same order", () => {
    fc.assert(
      fc.property(document, page, (source, value) => {
        const parsed = parse(source);
        expect(validate(schema, parsed)).toEqual([]);
        const write = eventPageText(parsed);
        const executed = execute({
          schema,
          document: parsed,
          rootValue: { value },
          variableValues: { id: "Session_x" },
        });
        expect(write?.(value)).toBe(JSON.stringify("data" in executed ? executed.data : executed));
      }),
      { numRuns: 300, seed: 20_262 },
    );
  });

  it("is made once per document", () => {
    const parsed = parse("subscription { sessionEvents(sessionId: 1) { endCursor } }");
    expect(eventPageText(parsed)).toBe(eventPageText(parsed));
  });

  it.each([
    ["another subscription", "subscription { sessionsLive { removed } }"],
    ["a query", "{ viewer { name } }"],
    [
      "a directive on a field",
      "subscription ($no: Boolean!) { sessionEvents(sessionId: 1) { endCursor @skip(if: $no) } }",
    ],
    [
      "a directive on a fragment",
      "subscription { sessionEvents(sessionId: 1) { ... @include(if: true) { endCursor } } }",
    ],
    [
      "several operations",
      "subscription A { sessionEvents(sessionId: 1) { endCursor } } subscription B { runEvents(runId: 1) { endCursor } }",
    ],
  ])("is left to an execution for %s", (_, source) => {
    expect(eventPageText(parse(source))).toBeNull();
  });
});
