import { type Authority, eventCursor, invalid, notFound, sequenceOfCursor } from "@wheelhouse/domain";
import type { RuntimeDeps } from "./deps.ts";
import type { EventsFrame } from "./watch-events.ts";

export interface ReadEventsInput {
  sessionId: string;
  /** Only the events of this run of the session. */
  runId?: string | null | undefined;
  after?: string | null | undefined;
  /** 1 to 500; 100 when absent. */
  first?: number | null | undefined;
  types?: readonly string[] | null | undefined;
}

/** One page of a session's log behind a cursor, oldest first. `terminal` is always false: a page promises no end. */
export async function readEvents(
  deps: Pick<RuntimeDeps, "storage">,
  authority: Authority,
  input: ReadEventsInput,
): Promise<EventsFrame> {
  const limit = input.first ?? 100;
  if (!Number.isInteger(limit) || limit < 1 || limit > 500) throw invalid("first", "use 1 to 500");
  const after = input.after == null ? 0 : sequenceOfCursor(input.sessionId, input.after);
  const page = await deps.storage.events.read(authority, {
    sessionId: input.sessionId,
    ...(input.runId == null ? {} : { runId: input.runId }),
    ...(input.types == null ? {} : { types: input.types }),
    after,
    limit,
  });
  if (page === null) throw notFound("Session");
  return {
    events: page.events,
    endCursor: eventCursor(input.sessionId, Math.max(after, page.scannedTo)),
    caughtUp: page.scannedTo >= page.lastSequence,
    terminal: false,
  };
}
