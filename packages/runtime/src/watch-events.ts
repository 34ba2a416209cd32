import {
  type Authority,
  eventCursor,
  isActiveRun,
  notFound,
  Refusal,
  runEndTypes,
  type StoredEvent,
  sequenceOfCursor,
} from "@wheelhouse/domain";
import type { EventPage, SessionRecord } from "@wheelhouse/storage";
import type { RuntimeDeps } from "./deps.ts";
import { type FollowedLog, LogFollower, type LogPart } from "./follow-log.ts";
import { releasable } from "./releasable.ts";
import type { LiveStream } from "./stream-progress.ts";

/** A page of a log as a reader gets it, oldest event first. */
export interface EventsFrame {
  events: StoredEvent[];
  /** Behind everything that was looked at: resume from here. */
  endCursor: string;
  /** Nothing was waiting behind this page when it was read. */
  caughtUp: boolean;
  /** The run has ended and everything it said was delivered; nothing follows. Never in a session's stream. */
  terminal: boolean;
}

export type WatchEventsInput =
  | { sessionId: string; after?: string | null | undefined }
  | { runId: string; after?: string | null | undefined };

type WatchDeps = Pick<RuntimeDeps, "storage" | "tails" | "tunables">;

interface Watched {
  session: SessionRecord;
  runId: string | null;
  /** The run has ended, as far as the stream knows. */
  ended: boolean;
  /** The caller's cursor; null: from the first event that is kept. */
  after: number | null;
}

/**
 * Follows a session or a run: the backlog behind `after` in pages, then the tail, with one cursor and no seam.
 * The first frame comes at once, empty when there is no backlog. A run's stream ends with a terminal frame, also when its
 * session was deleted behind it; a session's stays open. Refuses with NOT_FOUND and INVALID_CURSOR before the first
 * frame, and with RESYNC when it cannot keep its promise, `detail.cursor` being where to go on: the last position
 * delivered when its consumer is too slow, the oldest event that is kept when those behind the cursor are gone, the
 * beginning when the log has never been as far as the cursor says.
 */
export async function watchEvents(
  deps: WatchDeps,
  authority: Authority,
  input: WatchEventsInput,
): Promise<LiveStream<EventsFrame>> {
  const watched = await findWatched(deps, authority, input);
  const { session } = watched;
  const noted = { lastSequence: session.lastSequence };
  const follower = new LogFollower<StoredEvent, number, EventsFrame>({
    log: followedSession(deps, authority, watched, (page) => {
      noted.lastSequence = Math.max(noted.lastSequence, page.lastSequence);
    }),
    start: watched.after ?? 0,
    step(part, place, first) {
      const frame = frameOf(watched, part, place);
      return { frame: frame.terminal || part.events.length > 0 || first ? frame : null, last: frame.terminal };
    },
    // Whoever deletes a session has ended its runs.
    lastWord: (error, place) =>
      watched.runId !== null && error instanceof Refusal && error.code === "NOT_FOUND"
        ? { events: [], endCursor: eventCursor(session.id, place), caughtUp: true, terminal: true }
        : null,
  });
  const stream = releasable((signal) => follower.frames(signal));
  return Object.assign(stream, {
    progress() {
      const { place, seenTo, buffered } = follower.progress;
      const last = Math.max(noted.lastSequence, seenTo);
      return { cursor: eventCursor(session.id, place), behind: Math.max(0, last - place), buffered };
    },
  });
}

async function findWatched(deps: WatchDeps, authority: Authority, input: WatchEventsInput): Promise<Watched> {
  const run = "runId" in input ? await deps.storage.runs.get(authority, input.runId) : null;
  if ("runId" in input && run === null) throw notFound("Run");
  const sessionId = "sessionId" in input ? input.sessionId : (run?.sessionId ?? "");
  const session = await deps.storage.sessions.get(authority, sessionId);
  if (session === null) throw notFound("Session");
  return {
    session,
    runId: run?.id ?? null,
    ended: run !== null && !isActiveRun(run.status),
    after: input.after == null ? null : sequenceOfCursor(session.id, input.after),
  };
}

function followedSession(
  deps: WatchDeps,
  authority: Authority,
  watched: Watched,
  note: (page: EventPage<StoredEvent>) => void,
): FollowedLog<StoredEvent, number> {
  const { session, runId } = watched;
  const accepts = (event: StoredEvent): boolean => {
    if (runId !== null && event.runId !== runId) return false;
    if (runEndTypes.has(event.type) && runId !== null) watched.ended = true;
    return authority.visibilities.includes(event.visibility);
  };
  return {
    async read(after) {
      const page = await deps.storage.events.read(authority, {
        sessionId: session.id,
        ...(runId === null ? {} : { runId }),
        after,
        limit: deps.tunables.eventPage,
      });
      if (page === null) throw notFound("Session");
      note(page);
      checkCursor(session.id, watched.after, page);
      watched.after = null;
      const events = page.events.filter(accepts);
      return { events, scannedTo: page.scannedTo, caughtUp: page.scannedTo >= page.lastSequence };
    },
    join: (after, viewer) => deps.tails.join(session, after, viewer),
    accepts,
    placeOf: (event) => event.sequence,
    isBefore: (a, b) => a < b,
    tooSlow: (place) => resync("SLOW", session.id, place),
    maxBuffered: deps.tunables.maxBufferedEvents,
  };
}

const messages = {
  SLOW: "The reader is too slow for this log; continue from the cursor",
  PRUNED: "Events behind this cursor are no longer kept; begin anew",
  SET_BACK: "The log has never been as far as this cursor; begin anew",
};

const resync = (reason: keyof typeof messages, sessionId: string, sequence: number): Refusal =>
  new Refusal("RESYNC", messages[reason], { detail: { cursor: eventCursor(sessionId, sequence), reason } });

/** Whether everything behind the caller's cursor can be told. */
function checkCursor(sessionId: string, after: number | null, page: EventPage<StoredEvent>): void {
  if (after === null) return;
  if (after > page.lastSequence) throw resync("SET_BACK", sessionId, 0);
  if (after + 1 < page.firstSequence) throw resync("PRUNED", sessionId, page.firstSequence - 1);
}

const frameOf = (watched: Watched, part: LogPart<StoredEvent, number>, place: number): EventsFrame => ({
  events: part.events,
  endCursor: eventCursor(watched.session.id, place),
  caughtUp: part.caughtUp,
  // The last batch commits as one, so a reader that has caught up after the end has all of it.
  terminal: watched.ended && part.caughtUp,
});
