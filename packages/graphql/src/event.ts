import {
  EventVisibility as EventVisibilityWord,
  eventCursor,
  invalid,
  type StoredEvent,
  sequenceOfCursor,
} from "@wheelhouse/domain";
import { visibleTo } from "@wheelhouse/storage/models";
import type { GraphQLResolveInfo } from "graphql";
import { z } from "zod";
import { Batches, groupBy } from "./batches.ts";
import { builder } from "./builder.ts";
import { authorityOf, type GraphContext } from "./context.ts";
import { EventVisibility } from "./enums.ts";
import { globalId } from "./global-id.ts";

/** An event as both the log's pages and its streams hand it out. */
export type EventRow = Pick<
  StoredEvent,
  "id" | "sequence" | "type" | "at" | "sessionId" | "runId" | "taskId" | "payload" | "visibility"
>;

export interface EventPageShape {
  events: EventRow[];
  endCursor: string;
  caughtUp: boolean;
  terminal: boolean;
}

const EventInterface = builder.interfaceRef<EventRow>("Event").implement({
  description: "One row of a session's append-only log. `(sessionId, sequence)` orders it, without gaps from 1.",
  fields: (t) => ({
    id: t.exposeID("id", { description: "The row's id. Events are no nodes: read them by cursor." }),
    sequence: t.exposeInt("sequence", { description: "Its place in the session's log." }),
    type: t.exposeString("type", { description: "What happened. New types may appear: keep those you do not know." }),
    visibility: t.field({
      type: EventVisibility,
      description: "Who it is meant for.",
      resolve: (event) => event.visibility,
    }),
    at: t.expose("at", { type: "DateTime", description: "When it happened." }),
    sessionId: t.id({
      description: "The global id of the session.",
      resolve: (event) => globalId("Session", event.sessionId),
    }),
    runId: t.id({
      nullable: true,
      description: "The global id of the run.",
      resolve: (event) => (event.runId === null ? null : globalId("Run", event.runId)),
    }),
    taskId: t.id({
      nullable: true,
      description: "The global id of the task.",
      resolve: (event) => (event.taskId === null ? null : globalId("Task", event.taskId)),
    }),
    payload: t.field({ type: "JSON", description: "What the type promises.", resolve: (event) => event.payload }),
  }),
  resolveType: () => "LogEvent",
});

builder.objectRef<EventRow>("LogEvent").implement({
  description: "An event of any type; `type` says which and `payload` holds what the type promises.",
  interfaces: [EventInterface],
});

export const EventPage = builder.objectRef<EventPageShape>("EventPage").implement({
  description: "Some events of a log, oldest first, with the cursor to go on from.",
  fields: (t) => ({
    events: t.field({ type: [EventInterface], description: "The events.", resolve: (page) => page.events }),
    endCursor: t.expose("endCursor", {
      type: "Cursor",
      description: "Behind everything that was looked at: read or subscribe on from here.",
    }),
    caughtUp: t.exposeBoolean("caughtUp", { description: "Whether nothing more was waiting when this was read." }),
    terminal: t.exposeBoolean("terminal", {
      description: "Whether the run has ended and all it said was delivered. Never for a session.",
    }),
  }),
});

/** The arguments of an event page that stands below a session or run. */
export const eventArguments = builder.args((t) => ({
  first: t.int({ description: "How many, 1 to 500; 100 when absent." }),
  after: t.field({ type: "Cursor", description: "Read behind this cursor of the session's log." }),
  types: t.stringList({ description: "Only these types." }),
}));

/** Most events of one page. */
const maxEvents = 500;
const Payload = z.record(z.string(), z.unknown());

interface EventsRequest {
  context: GraphContext;
  info: GraphQLResolveInfo;
  /** The session or run whose events are read. */
  parent: { kind: "session" | "run"; id: string };
  sessionId: string;
  /** The session's last sequence as the parent row knew it. */
  lastSequence: number;
  args: { first?: number | null; after?: string | null; types?: readonly string[] | null };
}

const pages = new Batches<EventRow[]>();

/** A page of the log below a row; below a list, the pages of all its rows together. */
export async function eventPage(request: EventsRequest): Promise<Omit<EventPageShape, "terminal">> {
  const { context, info, sessionId, args } = request;
  const first = args.first ?? 100;
  if (first < 1 || first > maxEvents) throw invalid("first", `use 1 to ${maxEvents}`);
  const after = args.after == null ? 0 : sequenceOfCursor(sessionId, args.after);
  const read = (parents: readonly string[]) => readEvents(request, parents, after, first);
  const found =
    after > 0 ? ((await read([request.parent.id]))[0] ?? []) : await pages.load(context, info, request.parent.id, read);
  const events = found.slice(0, first);
  const caughtUp = found.length <= first;
  const end = caughtUp
    ? Math.max(after, request.lastSequence, events.at(-1)?.sequence ?? 0)
    : (events.at(-1)?.sequence ?? after);
  return { events, endCursor: eventCursor(sessionId, end), caughtUp };
}

async function readEvents(request: EventsRequest, parents: readonly string[], after: number, first: number) {
  const { context, parent, args } = request;
  const field = parent.kind === "session" ? "sessionId" : "runId";
  const rows = await context.rows.firstOfEach(
    "event",
    { field, parents },
    {
      where: {
        AND: [
          visibleTo(authorityOf(context)).event,
          { sequence: { gt: after } },
          args.types == null ? {} : { type: { in: [...args.types] } },
        ],
      },
      orderBy: { sequence: "asc" },
      take: first + 1,
      select: {
        id: true,
        sequence: true,
        type: true,
        at: true,
        sessionId: true,
        runId: true,
        taskId: true,
        payload: true,
        visibility: true,
      },
    },
  );
  const events = rows.map((row) => ({
    ...row,
    visibility: EventVisibilityWord.parse(row.visibility),
    payload: Payload.parse(row.payload),
  }));
  return groupBy(parents, events, (event) => event[field]);
}
