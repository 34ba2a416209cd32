import { graphql } from "../generated/index.ts";

/** The part of its session's log that belongs to a run. Completes when the run is finished and everything was delivered. */
export const runEventsDocument = graphql(`
  subscription WheelhouseRunEvents($runId: ID!, $after: Cursor) {
    runEvents(runId: $runId, after: $after) {
      events { id sequence type visibility at sessionId runId taskId payload }
      endCursor
      caughtUp
      terminal
    }
  }
`);
