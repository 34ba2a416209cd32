import { type EventsFrame, watchEvents, watchFeed } from "@wheelhouse/runtime";
import { builder } from "./builder.ts";
import { authorityOf } from "./context.ts";
import { EventVisibility } from "./enums.ts";
import { EventPage } from "./event.ts";
import { rowIdOf } from "./global-id.ts";
import { delivered, type Frame, guarded } from "./streams.ts";

const EventFilter = builder.inputType("EventFilter", {
  description: "Which events of a project. All conditions must hold; an empty list lets nothing through.",
  fields: (t) => ({
    types: t.stringList({ description: "Only these types." }),
    visibilities: t.field({ type: [EventVisibility], description: "Only those meant for these readers." }),
    agents: t.stringList({ description: "Only those of sessions with the agents of these names." }),
    sessionId: t.id({ description: "Only those of this session, by its global id." }),
  }),
});

builder.subscriptionFields((t) => ({
  sessionEvents: t.field({
    type: EventPage,
    description: "A session's log from a cursor on: what is recorded, then what comes, in pages. Stays open.",
    args: {
      sessionId: t.arg.id({ required: true, description: "The global id of the session." }),
      after: t.arg({ type: "Cursor", description: "Begin behind this; from the first event when absent." }),
    },
    subscribe: async (_, args, context) => {
      const sessionId = rowIdOf("Session", args.sessionId, "sessionId");
      const input = { sessionId, after: args.after };
      const stream = await watchEvents(context.runtime, authorityOf(context), input);
      return guarded(context, stream, { field: "sessionEvents", target: args.sessionId, progress: stream.progress });
    },
    resolve: (frame: Frame<EventsFrame>) => delivered(frame),
  }),
  runEvents: t.field({
    type: EventPage,
    description: "What a run says, from a cursor of its session on. Ends with a page that is terminal.",
    args: {
      runId: t.arg.id({ required: true, description: "The global id of the run." }),
      after: t.arg({ type: "Cursor", description: "Begin behind this; from the first event when absent." }),
    },
    subscribe: async (_, args, context) => {
      const runId = rowIdOf("Run", args.runId, "runId");
      const stream = await watchEvents(context.runtime, authorityOf(context), { runId, after: args.after });
      return guarded(context, stream, { field: "runEvents", target: args.runId, progress: stream.progress });
    },
    resolve: (frame: Frame<EventsFrame>) => delivered(frame),
  }),
  projectEvents: t.field({
    type: EventPage,
    description:
      "The events of every session of the project that the viewer reads, in the order in which they were committed: " +
      "what is recorded, then what comes, in pages. Its cursors are its own. Stays open.",
    args: {
      filter: t.arg({ type: EventFilter, description: "Which events." }),
      after: t.arg({ type: "Cursor", description: "Begin behind this; from the project's first event when absent." }),
      fromNow: t.arg.boolean({ description: "Without `after`: leave out what was recorded before." }),
    },
    subscribe: async (_, args, context) => {
      const { sessionId, ...filter } = args.filter ?? {};
      const stream = await watchFeed(context.runtime, authorityOf(context), {
        filter: { ...filter, sessionId: sessionId == null ? null : rowIdOf("Session", sessionId, "filter.sessionId") },
        after: args.after,
        fromNow: args.fromNow ?? false,
      });
      return guarded(context, stream, { field: "projectEvents", target: null, progress: stream.progress });
    },
    resolve: (frame: Frame<EventsFrame>) => delivered(frame),
  }),
}));
