import { graphql } from "../generated/index.ts";

/** The events of every session that the caller reads, in the order in which they were committed. Stays open. */
export const projectEventsDocument = graphql(`
  subscription WheelhouseProjectEvents($filter: EventFilter, $after: Cursor, $fromNow: Boolean) {
    projectEvents(filter: $filter, after: $after, fromNow: $fromNow) {
      events { id sequence type visibility at sessionId runId taskId payload }
      endCursor
      caughtUp
      terminal
    }
  }
`);
