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
import type { SessionRecord } from "@wheelhouse/storage";
import type { RuntimeDeps } from "./deps.ts";
import type { TailPage, TailViewer } from "./event-tails.ts";
import { type Releasable, releasable } from "./releasable.ts";

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
  /** The run had ended before the first page was read. */
  ended: boolean;
  position: number;
}

/**
 * Follows a session or a run: the backlog behind `after` in pages, then the tail, with one cursor and no seam.
 * The first frame comes at once, empty when there is no backlog. A run's stream ends with a terminal frame, a session's
 * stays open. Refuses with NOT_FOUND and INVALID_CURSOR before the first frame, and with RESYNC (`detail.cursor`: the
 * last position delivered) when its consumer is too slow.
 */
export async function watchEvents(
  deps: WatchDeps,
  authority: Authority,
  input: WatchEventsInput,
): Promise<Releasable<EventsFrame>> {
  const watched = await findWatched(deps, authority, input);
  return releasable((signal) => frames(deps, authority, watched, signal));
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
    position: input.after == null ? 0 : sequenceOfCursor(session.id, input.after),
  };
}

async function* frames(
  deps: WatchDeps,
  authority: Authority,
  watched: Watched,
  signal: AbortSignal,
): AsyncGenerator<EventsFrame, void> {
  const inbox = new Inbox(authority, watched, deps.tunables.maxBufferedEvents, signal);
  const state = { position: watched.position, ended: watched.ended };
  let leave: (() => void) | null = null;
  try {
    for (let first = true; leave === null; first = false) {
      const page = await readBacklog(deps, authority, watched, state.position);
      if (signal.aborted) return;
      const frame = advance(watched, state, page);
      if (frame.terminal || frame.events.length > 0 || first) yield frame;
      if (frame.terminal || signal.aborted) return;
      if (frame.caughtUp) leave = deps.tails.join(watched.session, state.position, inbox);
    }
    while (!signal.aborted) {
      await inbox.filled();
      if (signal.aborted) return;
      const page = inbox.take(state.position);
      const frame = advance(watched, state, page);
      if (frame.terminal || frame.events.length > 0) yield frame;
      if (frame.terminal) return;
    }
  } finally {
    leave?.();
  }
}

async function readBacklog(deps: WatchDeps, authority: Authority, watched: Watched, after: number): Promise<Seen> {
  const page = await deps.storage.events.read(authority, {
    sessionId: watched.session.id,
    ...(watched.runId === null ? {} : { runId: watched.runId }),
    after,
    limit: deps.tunables.eventPage,
  });
  if (page === null) throw notFound("Session");
  return {
    events: page.events,
    scannedTo: page.scannedTo,
    caughtUp: page.scannedTo >= page.lastSequence,
    ended: page.events.some((event) => endsRun(watched, event)),
  };
}

/** What one look at the log brought, already reduced to what the viewer may see. */
interface Seen {
  events: StoredEvent[];
  scannedTo: number;
  caughtUp: boolean;
  ended: boolean;
}

const endsRun = (watched: Watched, event: StoredEvent): boolean =>
  watched.runId !== null && event.runId === watched.runId && runEndTypes.has(event.type);

function advance(watched: Watched, state: { position: number; ended: boolean }, seen: Seen): EventsFrame {
  // A cursor beyond the end of the log stays where it is: there is nothing to repeat.
  state.position = Math.max(state.position, seen.scannedTo);
  state.ended ||= seen.ended;
  return {
    events: seen.events,
    endCursor: eventCursor(watched.session.id, state.position),
    caughtUp: seen.caughtUp,
    // The last batch commits as one, so a reader that has caught up after the end has all of it.
    terminal: state.ended && seen.caughtUp,
  };
}

/** What the session's reader delivered and the consumer has not taken yet. */
class Inbox implements TailViewer {
  readonly #authority: Authority;
  readonly #watched: Watched;
  readonly #maxEvents: number;
  readonly #signal: AbortSignal;
  #seen: Seen | null = null;
  #error: Error | null = null;
  #overflown = false;
  #wake: (() => void) | null = null;

  constructor(authority: Authority, watched: Watched, maxEvents: number, signal: AbortSignal) {
    this.#authority = authority;
    this.#watched = watched;
    this.#maxEvents = maxEvents;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#wake?.(), { once: true });
  }

  receive(page: TailPage): void {
    if (this.#overflown) return;
    const { runId } = this.#watched;
    const seen = this.#seen ?? { events: [], scannedTo: 0, caughtUp: false, ended: false };
    this.#seen = seen;
    for (const event of page.events) {
      if (endsRun(this.#watched, event)) seen.ended = true;
      const visible = this.#authority.visibilities.includes(event.visibility);
      if (visible && (runId === null || event.runId === runId)) seen.events.push(event);
    }
    seen.scannedTo = page.scannedTo;
    seen.caughtUp = page.caughtUp;
    if (seen.events.length > this.#maxEvents) {
      this.#overflown = true;
      seen.events = [];
    }
    this.#wake?.();
  }

  fail(error: Error): void {
    this.#error = error;
    this.#wake?.();
  }

  async filled(): Promise<void> {
    if (this.#seen !== null || this.#error !== null || this.#signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = null;
  }

  /** Everything behind `position`; throws what ended the stream instead. */
  take(position: number): Seen {
    if (this.#overflown)
      throw new Refusal("RESYNC", "The reader is too slow for this log; continue from the cursor", {
        detail: { cursor: eventCursor(this.#watched.session.id, position) },
      });
    if (this.#seen === null) throw this.#error ?? new Error("took from an empty inbox");
    const seen = this.#seen;
    this.#seen = null;
    return { ...seen, events: seen.events.filter((event) => event.sequence > position) };
  }
}
