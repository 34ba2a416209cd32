import { type EventsFrame, watchEvents } from "@wheelhouse/runtime";
import { builder } from "./builder.ts";
import { authorityOf } from "./context.ts";
import { EventPage } from "./event.ts";
import { rowIdOf } from "./global-id.ts";
import { delivered, type Frame, guarded } from "./streams.ts";

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
      return guarded(context, await watchEvents(context.runtime, authorityOf(context), input));
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
      return guarded(context, await watchEvents(context.runtime, authorityOf(context), { runId, after: args.after }));
    },
    resolve: (frame: Frame<EventsFrame>) => delivered(frame),
  }),
}));
