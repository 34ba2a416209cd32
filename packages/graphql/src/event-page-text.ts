import { type DocumentNode, Kind, type SelectionSetNode } from "graphql";
import { collectSelected, type Fragments, fragmentsOf, NotCompilable, type Selected } from "./collect-selected.ts";
import type { EventPageShape, EventRow } from "./event.ts";
import { globalId } from "./global-id.ts";

// A stream brings the same few fields over and over to very many readers. Executing its selection anew for every page and
// reader costs several times what sending it does, so the selection is turned into a function from page to JSON text
// once per document. It answers what graphql-js would, or it is not made at all.

/** The data of a stream's operation as JSON text. */
export type EventPageText = (page: EventPageShape) => string;

type Writer<T> = (value: T) => string;

const eventFields: Record<string, Writer<EventRow>> = {
  __typename: () => '"LogEvent"',
  id: (event) => JSON.stringify(event.id),
  sequence: (event) => String(event.sequence),
  type: (event) => JSON.stringify(event.type),
  visibility: (event) => JSON.stringify(event.visibility),
  at: (event) => `"${event.at.toISOString()}"`,
  sessionId: (event) => JSON.stringify(globalId("Session", event.sessionId)),
  runId: (event) => (event.runId === null ? "null" : JSON.stringify(globalId("Run", event.runId))),
  taskId: (event) => (event.taskId === null ? "null" : JSON.stringify(globalId("Task", event.taskId))),
  payload: (event) => JSON.stringify(event.payload),
};

const pageFields: Record<string, Writer<EventPageShape>> = {
  __typename: () => '"EventPage"',
  endCursor: (page) => JSON.stringify(page.endCursor),
  caughtUp: (page) => String(page.caughtUp),
  terminal: (page) => String(page.terminal),
};

/** The subscriptions that yield pages of a log. */
const logStreams: ReadonlySet<string> = new Set(["sessionEvents", "runEvents", "projectEvents"]);

const compiled = new WeakMap<DocumentNode, EventPageText | null>();

/**
 * How the pages of a subscription to a log are written; null when the document is something else, or says something that
 * only an execution can answer (a directive, several operations). The document has to be valid.
 */
export function eventPageText(document: DocumentNode): EventPageText | null {
  let text = compiled.get(document);
  if (text === undefined) {
    text = compile(document);
    compiled.set(document, text);
  }
  return text;
}

function compile(document: DocumentNode): EventPageText | null {
  const fragments = fragmentsOf(document);
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations;
  if (operation?.kind !== Kind.OPERATION_DEFINITION || operations.length !== 1) return null;
  if (operation.operation !== "subscription" || (operation.directives ?? []).length > 0) return null;
  try {
    const [[key, root] = [], ...others] = collectSelected([operation.selectionSet], fragments, holds);
    if (key === undefined || root === undefined || others.length > 0) return null;
    if (!logStreams.has(root.name)) return null;
    const page = objectWriter(root.selections, fragments, (field) =>
      field.name === "events"
        ? listWriter((at: EventPageShape) => at.events, remembered(eventWriter(field.selections, fragments)))
        : pageFields[field.name],
    );
    const begin = `{${JSON.stringify(key)}:`;
    return (value) => `${begin}${page(value)}}`;
  } catch (error) {
    if (error instanceof NotCompilable) return null;
    throw error;
  }
}

const eventWriter = (selections: readonly SelectionSetNode[], fragments: Fragments): Writer<EventRow> =>
  objectWriter(selections, fragments, (field) => eventFields[field.name]);

/** Places for texts, a power of two: about as many events as wait for the readers of one moment. */
const places = 64;

/**
 * Readers of one session are handed the same events, one reader after the other: each is written once for all who select
 * the same. A few places by sequence are enough for that; a WeakMap costs the garbage collector more than the writing.
 */
function remembered(write: Writer<EventRow>): Writer<EventRow> {
  const events: (EventRow | undefined)[] = new Array(places).fill(undefined);
  const texts: string[] = new Array(places).fill("");
  return (event) => {
    const place = event.sequence & (places - 1);
    if (events[place] === event) return texts[place] ?? "";
    const text = write(event);
    events[place] = event;
    texts[place] = text;
    return text;
  };
}

const listWriter =
  <T, Item>(items: (value: T) => readonly Item[], write: Writer<Item>): Writer<T> =>
  (value) =>
    `[${items(value).map(write).join(",")}]`;

function objectWriter<T>(
  selections: readonly SelectionSetNode[],
  fragments: Fragments,
  writerOf: (field: Selected) => Writer<T> | undefined,
): Writer<T> {
  const members = [...collectSelected(selections, fragments, holds)].map(([key, field]) => {
    const write = writerOf(field);
    if (write === undefined) throw new NotCompilable(field.name);
    return { begin: `${JSON.stringify(key)}:`, write };
  });
  return (value) => {
    let text = "";
    for (const { begin, write } of members) text += `${text === "" ? "" : ","}${begin}${write(value)}`;
    return `{${text}}`;
  };
}

/** The types of which everything in a log is one, so that a condition on them holds. */
const heldConditions = new Set(["Subscription", "EventPage", "Event", "LogEvent"]);

function holds(condition: string): boolean {
  if (!heldConditions.has(condition)) throw new NotCompilable(condition);
  return true;
}
