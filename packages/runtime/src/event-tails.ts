import { type Authority, eventVisibilities, notFound, type StoredEvent } from "@wheelhouse/domain";
import type { SessionRecord, Storage } from "@wheelhouse/storage";
import type { Log } from "./deps.ts";
import type { Tunables } from "./tunables.ts";

/** What a reader of a session hands to its viewers: everything behind their position, of every visibility. */
export interface TailPage {
  events: readonly StoredEvent[];
  scannedTo: number;
  /** Nothing was behind `scannedTo` when it was read. */
  caughtUp: boolean;
}

export interface TailViewer {
  receive(page: TailPage): void;
  /** The session cannot be read any more. */
  fail(error: Error): void;
}

/** One reader per watched session, whatever the number of its viewers; it ends when the last of them leaves. */
export interface SessionTails extends Disposable {
  /**
   * Joins the reader of a session behind the sequence `after`. Null when the reader is further than it remembers:
   * read the log up to its end and join again.
   */
  join(session: SessionRecord, after: number, viewer: TailViewer): (() => void) | null;
  /** Sessions being read now. */
  readonly size: number;
}

type TailDeps = { storage: Storage; log: Log; tunables: Tunables };

/** Opens the readers. Dispose them to stop every timer; their viewers then wait for nothing. */
export function openSessionTails(deps: TailDeps): SessionTails {
  const tails = new Map<string, SessionTail>();
  return {
    join(session, after, viewer) {
      let tail = tails.get(session.id);
      if (tail === undefined) {
        tail = new SessionTail(deps, session, after, () => tails.delete(session.id));
        tails.set(session.id, tail);
      }
      return tail.join(after, viewer);
    },
    get size() {
      return tails.size;
    },
    [Symbol.dispose]() {
      for (const tail of [...tails.values()]) tail.close();
    },
  };
}

/** Reads one session by cursor, on wake-ups and at least once per `tailPollMs`. */
class SessionTail {
  readonly #deps: TailDeps;
  readonly #sessionId: string;
  /** The session's own scope and every visibility: each viewer was admitted before, and sees only what it may. */
  readonly #authority: Authority;
  readonly #viewers = new Set<TailViewer>();
  readonly #onClosed: () => void;
  readonly #stopListening: () => void;
  /** The newest events, so that a viewer who is slightly behind can join without reading again. */
  #recent: StoredEvent[] = [];
  /** The sequence before the first of `recent`. */
  #recentFrom: number;
  #position: number;
  #caughtUp = false;
  #reading = false;
  #readAgain = false;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: TailDeps, session: SessionRecord, position: number, onClosed: () => void) {
    this.#deps = deps;
    this.#sessionId = session.id;
    this.#authority = {
      projectId: session.projectId,
      reach: "EXACT",
      scope: session.scope,
      scopeKey: session.scopeKey,
      role: "VIEWER",
      visibilities: eventVisibilities,
      actor: { kind: "SYSTEM", id: "tail", name: "tail" },
    };
    this.#position = position;
    this.#recentFrom = position;
    this.#onClosed = onClosed;
    this.#stopListening = deps.storage.wakeUps.onSession(session.id, () => void this.#read());
    // Something may have been committed after the viewer's last page and before we listened.
    void this.#read();
  }

  join(after: number, viewer: TailViewer): (() => void) | null {
    if (after < this.#recentFrom) {
      if (this.#viewers.size === 0) this.close();
      return null;
    }
    this.#viewers.add(viewer);
    const missed = this.#recent.filter((event) => event.sequence > after);
    if (missed.length > 0) viewer.receive({ events: missed, scannedTo: this.#position, caughtUp: this.#caughtUp });
    return () => {
      this.#viewers.delete(viewer);
      if (this.#viewers.size === 0) this.close();
    };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#timer);
    this.#stopListening();
    this.#onClosed();
  }

  async #read(): Promise<void> {
    if (this.#reading || this.#closed) {
      this.#readAgain = true;
      return;
    }
    this.#reading = true;
    try {
      do {
        this.#readAgain = false;
        const page = await this.#deps.storage.events.read(this.#authority, {
          sessionId: this.#sessionId,
          after: this.#position,
          limit: this.#deps.tunables.eventPage,
        });
        if (this.#closed) return;
        if (page === null) {
          for (const viewer of [...this.#viewers]) viewer.fail(notFound("Session"));
          this.close();
          return;
        }
        this.#deliver({ ...page, caughtUp: page.scannedTo >= page.lastSequence });
        if (!this.#caughtUp) this.#readAgain = true;
      } while (this.#readAgain && !this.#closed);
    } catch (error) {
      // The database may be away for a moment; nothing is lost, the next poll reads on from the same position.
      this.#deps.log.warn({ err: error, sessionId: this.#sessionId }, "could not read the tail of a session");
    } finally {
      this.#reading = false;
      // One timer for the reader's life, put off by every read: making one costs more than what most reads bring.
      if (this.#closed) clearInterval(this.#timer);
      else if (this.#timer === undefined)
        this.#timer = setInterval(() => void this.#read(), this.#deps.tunables.tailPollMs);
      else this.#timer.refresh();
    }
  }

  #deliver(page: TailPage): void {
    this.#position = Math.max(this.#position, page.scannedTo);
    this.#caughtUp = page.caughtUp;
    this.#recent.push(...page.events);
    const surplus = this.#recent.length - this.#deps.tunables.eventPage;
    if (surplus > 0) {
      const dropped = this.#recent.splice(0, surplus).at(-1);
      if (dropped !== undefined) this.#recentFrom = dropped.sequence;
    }
    for (const viewer of [...this.#viewers]) viewer.receive(page);
  }
}
