import {
  type Authority,
  canonicalJson,
  type EventVisibility,
  feedCursor,
  placeOfFeedCursor,
  Refusal,
} from "@wheelhouse/domain";
import type { FeedEvent, FeedFilter, FeedPlace } from "@wheelhouse/storage";
import type { RuntimeDeps } from "./deps.ts";
import { isBeforeInFeed } from "./event-tails.ts";
import { type FollowedLog, LogFollower } from "./follow-log.ts";
import { releasable } from "./releasable.ts";
import type { LiveStream } from "./stream-progress.ts";
import type { EventsFrame } from "./watch-events.ts";

export interface WatchFeedInput {
  /** Which events; what is absent lets everything through that the caller may see, an empty list nothing. */
  filter?: {
    types?: readonly string[] | null | undefined;
    visibilities?: readonly EventVisibility[] | null | undefined;
    agents?: readonly string[] | null | undefined;
    sessionId?: string | null | undefined;
  };
  /** Begin behind this cursor of the project's feed. */
  after?: string | null | undefined;
  /** Without a cursor: begin with what comes, not with the project's first event. */
  fromNow?: boolean;
}

type WatchDeps = Pick<RuntimeDeps, "storage" | "tails" | "tunables">;

/** Rows of the feed that one page of a backlog looks at, in search of what the filter lets through. */
const scanPages = 4;

const beginning: FeedPlace = { position: 0, sessionId: "", sequence: 0 };

/**
 * Follows every session of the project that the caller reads, in the order of the feed: a session's events by sequence,
 * sessions as they were committed; a transaction that commits late is never passed over. Backlog, tail and cursor as in
 * `watchEvents`; it stays open, so no frame is terminal. Refuses with INVALID_CURSOR before the first frame, and with
 * RESYNC when its consumer is too slow (`detail.cursor`: the last position delivered) or the feed has never been as far
 * as the cursor says (`detail.cursor`: where it ends).
 */
export async function watchFeed(
  deps: WatchDeps,
  authority: Authority,
  input: WatchFeedInput,
): Promise<LiveStream<EventsFrame>> {
  const { projectId } = authority;
  const filter = filterOf(input);
  let start = beginning;
  if (input.after != null) start = placeOfFeedCursor(projectId, input.after);
  else if (input.fromNow === true) start = await deps.storage.events.feedEnd();
  const follower = new LogFollower<FeedEvent, FeedPlace, EventsFrame>({
    log: followedFeed(deps, authority, filter),
    start,
    step(part, place, first) {
      const frame: EventsFrame = {
        events: part.events,
        endCursor: feedCursor(projectId, place),
        caughtUp: part.caughtUp,
        terminal: false,
      };
      // A cursor that moved without an event is worth telling while the backlog is read: the reader resumes from there.
      const worthIt = part.events.length > 0 || first || !part.caughtUp;
      return { frame: worthIt ? frame : null, last: false };
    },
    lastWord: () => null,
  });
  const stream = releasable((signal) => follower.frames(signal));
  return Object.assign(stream, {
    progress() {
      const { place, buffered } = follower.progress;
      // Only what was read is counted: the feed has no numbers without gaps.
      return { cursor: feedCursor(projectId, place), behind: buffered, buffered };
    },
  });
}

const filterOf = ({ filter = {} }: WatchFeedInput): FeedFilter => ({
  ...(filter.types == null ? {} : { types: filter.types }),
  ...(filter.visibilities == null ? {} : { visibilities: filter.visibilities }),
  ...(filter.agents == null ? {} : { agents: filter.agents }),
  ...(filter.sessionId == null ? {} : { sessionId: filter.sessionId }),
});

function followedFeed(deps: WatchDeps, authority: Authority, filter: FeedFilter): FollowedLog<FeedEvent, FeedPlace> {
  const { storage, tails, tunables } = deps;
  const { projectId } = authority;
  return {
    async read(after) {
      const limit = tunables.eventPage;
      const page = await storage.events.readFeed(authority, { after, limit, scan: limit * scanPages, filter });
      if (page.ahead) {
        const cursor = feedCursor(projectId, await storage.events.feedEnd());
        throw resync("SET_BACK", cursor);
      }
      return page;
    },
    join: (after, viewer) => tails.joinFeed(projectId, after, viewer),
    accepts: feedTest(authority, filter),
    placeOf: ({ position, sessionId, sequence }) => ({ position, sessionId, sequence }),
    isBefore: isBeforeInFeed,
    tooSlow: (place) => resync("SLOW", feedCursor(projectId, place)),
    maxBuffered: tunables.maxBufferedEvents,
  };
}

const messages = {
  SLOW: "The reader is too slow for this feed; continue from the cursor",
  SET_BACK: "The feed has never been as far as this cursor; read anew what you need and go on from here",
};

const resync = (reason: keyof typeof messages, cursor: string): Refusal =>
  new Refusal("RESYNC", messages[reason], { detail: { cursor, reason } });

/** What the database asks in a backlog, asked of what the shared reader brings: the wall first, then the filter. */
export function feedTest(authority: Authority, filter: FeedFilter): (event: FeedEvent) => boolean {
  const scope = canonicalJson(authority.scope);
  const { types, visibilities, agents, sessionId } = filter;
  return (event) =>
    event.projectId === authority.projectId &&
    (authority.reach === "PROJECT" ||
      (event.scopeKey === authority.scopeKey && canonicalJson(event.scope) === scope)) &&
    authority.visibilities.includes(event.visibility) &&
    (visibilities === undefined || visibilities.includes(event.visibility)) &&
    (types === undefined || types.includes(event.type)) &&
    (agents === undefined || agents.includes(event.agentName)) &&
    (sessionId === undefined || event.sessionId === sessionId);
}
