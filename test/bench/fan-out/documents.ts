import { globalId } from "@wheelhouse/graphql";

/** What every subscriber asks for: the page and all that an event shows. */
export const sessionEvents = `subscription Follow($sessionId: ID!, $after: Cursor) {
  sessionEvents(sessionId: $sessionId, after: $after) {
    events { id sequence type visibility at sessionId runId taskId payload }
    endCursor
    caughtUp
    terminal
  }
}`;

/** The message with which a subscriber begins. */
export const subscribeMessage = (sessionId: string): string =>
  JSON.stringify({
    id: "1",
    type: "subscribe",
    payload: { query: sessionEvents, variables: { sessionId: globalId("Session", sessionId) } },
  });
