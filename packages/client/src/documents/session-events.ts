import { graphql } from "../generated/index.ts";

/** A session's log from a cursor on: the backlog in pages, then the tail. Stays open. */
export const sessionEventsDocument = graphql(`
  subscription WheelhouseSessionEvents($sessionId: ID!, $after: Cursor) {
    sessionEvents(sessionId: $sessionId, after: $after) {
      events { id sequence type visibility at sessionId runId taskId payload }
      endCursor
      caughtUp
      terminal
    }
  }
`);
