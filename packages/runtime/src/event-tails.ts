import { type Authority, eventVisibilities, notFound, type StoredEvent } from "@wheelhouse/domain";
import type { FeedEvent, FeedPlace, SessionRecord, Storage } from "@wheelhouse/storage";
import type { Log } from "./deps.ts";
import { LogTail, type TailSource, type TailViewer } from "./log-tail.ts";
import type { Tunables } from "./tunables.ts";

/** One reader per watched session and project, whatever the number of viewers; it ends when the last of them leaves. */
export interface SessionTails extends Disposable {
  /**
   * Joins the reader of a session behind the sequence `after`. Null when the reader is further than it remembers:
   * read the log up to its end and join again.
   */
  join(session: SessionRecord, after: number, viewer: TailViewer<StoredEvent, number>): (() => void) | null;
  /** Joins the reader of a project's feed in the same way. It brings the events of every scope: the viewer chooses. */
  joinFeed(projectId: string, after: FeedPlace, viewer: TailViewer<FeedEvent, FeedPlace>): (() => void) | null;
  /** Sessions and projects being read now. */
  readonly size: number;
}

type TailDeps = { storage: Storage; log: Log; tunables: Tunables };

/** Opens the readers. Dispose them to stop every timer; their viewers then wait for nothing. */
export function openSessionTails(deps: TailDeps): SessionTails {
  const sessions = new Map<string, LogTail<StoredEvent, number>>();
  const feeds = new Map<string, LogTail<FeedEvent, FeedPlace>>();
  const { tailPollMs: pollMs, eventPage: remembered } = deps.tunables;
  return {
    join(session, after, viewer) {
      const options = { log: deps.log, pollMs, remembered, onClosed: () => sessions.delete(session.id) };
      const tail = sessions.get(session.id) ?? new LogTail(sessionSource(deps, session), after, options);
      sessions.set(session.id, tail);
      return tail.join(after, viewer);
    },
    joinFeed(projectId, after, viewer) {
      const options = { log: deps.log, pollMs, remembered, onClosed: () => feeds.delete(projectId) };
      const tail = feeds.get(projectId) ?? new LogTail(feedSource(deps, projectId), after, options);
      feeds.set(projectId, tail);
      return tail.join(after, viewer);
    },
    get size() {
      return sessions.size + feeds.size;
    },
    [Symbol.dispose]() {
      for (const tail of [...sessions.values(), ...feeds.values()]) tail.close();
    },
  };
}

const actor: Authority["actor"] = { kind: "SYSTEM", id: "tail", name: "tail" };

function sessionSource(
  { storage, tunables }: TailDeps,
  { id: sessionId, projectId, scope, scopeKey }: SessionRecord,
): TailSource<StoredEvent, number> {
  // The session's own scope and every visibility: each viewer was admitted before, and sees only what it may.
  const authority: Authority = {
    ...{ projectId, reach: "EXACT", scope, scopeKey, role: "VIEWER", visibilities: eventVisibilities, actor },
  };
  return {
    about: { sessionId },
    async read(after) {
      const page = await storage.events.read(authority, { sessionId, after, limit: tunables.eventPage });
      return page && { ...page, caughtUp: page.scannedTo >= page.lastSequence };
    },
    listen: (wake) => storage.wakeUps.onSession(sessionId, wake),
    placeOf: (event) => event.sequence,
    isBefore: (a, b) => a < b,
    gone: () => notFound("Session"),
    restMs: 0,
  };
}

/** The order of a feed. Ids of sessions are compared as the database does: they have one form and one case. */
export const isBeforeInFeed = (a: FeedPlace, b: FeedPlace): boolean =>
  a.position !== b.position
    ? a.position < b.position
    : a.sessionId !== b.sessionId
      ? a.sessionId < b.sessionId
      : a.sequence < b.sequence;

function feedSource({ storage, tunables, log }: TailDeps, projectId: string): TailSource<FeedEvent, FeedPlace> {
  const authority: Authority = {
    ...{ projectId, reach: "PROJECT", scope: {}, scopeKey: "", role: "VIEWER", visibilities: eventVisibilities, actor },
  };
  const { eventPage: limit, feedRestMs: restMs, feedStuckMs } = tunables;
  let heldSince: number | null = null;
  let saidAt = 0;
  const noteHeldBack = (heldBack: boolean): void => {
    const now = performance.now();
    heldSince = heldBack ? (heldSince ?? now) : null;
    if (heldSince === null || now - heldSince < feedStuckMs || now - saidAt < feedStuckMs) return;
    saidAt = now;
    const heldMs = Math.round(now - heldSince);
    log.warn({ projectId, heldMs }, "the project's feed waits for a transaction that has been open for long");
  };
  return {
    about: { projectId },
    async read(after) {
      const page = await storage.events.readFeed(authority, { after, limit, scan: limit });
      noteHeldBack(page.heldBack);
      return { ...page, again: page.heldBack };
    },
    listen: (wake) => storage.wakeUps.onProject(projectId, wake),
    placeOf: ({ position, sessionId, sequence }) => ({ position, sessionId, sequence }),
    isBefore: isBeforeInFeed,
    gone: () => notFound("Project"),
    restMs,
  };
}
