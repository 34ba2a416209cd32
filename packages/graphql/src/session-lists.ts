import { canonicalJson } from "@wheelhouse/domain";
import { type SessionsChanged, watchSessions } from "@wheelhouse/runtime";
import { authorityOf, type GraphContext } from "./context.ts";
import type { SessionOrder } from "./enums.ts";
import type { LiveRoom } from "./live-room.ts";
import { type SessionFilterInput, sessionPage, sessionRowSelect, stillListed } from "./session-list.ts";

/** A list that somebody follows. */
export interface FollowedSessions {
  filter: SessionFilterInput;
  orderBy: typeof SessionOrder.$inferType;
  first: number;
  /** Whether the number of all that match is told, too. */
  counts: boolean;
}

/** The first rows of a list at one moment. */
interface Snapshot {
  /** In list order; the mark of a row changes whenever the row does. */
  marks: ReadonlyMap<string, string>;
  count: number | null;
  /** Rows that were read for patches, by selection and ids: viewers who select the same share them. */
  rows: Map<string, Promise<unknown>>;
}

/** What changed for one viewer. */
export interface SessionsPatchShape {
  upsertedIds: string[];
  removedIds: string[];
  order: string[];
  count: number | null;
  /** Of the removed ids, those that no longer match: the others are only further back. */
  goneIds(): Promise<string[]>;
  /** The rows of a selection, read once for all viewers of the same list. */
  rows<Rows>(key: string, read: () => Promise<Rows>): Promise<Rows>;
}

/** The lists that are followed in a process. */
const followed = new WeakMap<LiveRoom, Map<string, SharedList>>();

/**
 * Patches of a list; the first enters every row. To be left with `return`. Whoever follows the same list with the same
 * authority shares one reader.
 */
export function followSessions(
  context: GraphContext,
  wanted: FollowedSessions,
): AsyncIterableIterator<SessionsPatchShape> {
  const lists = followed.get(context.live) ?? new Map<string, SharedList>();
  followed.set(context.live, lists);
  const { projectId, reach, scope, scopeKey } = authorityOf(context);
  // What a caller sees of sessions hangs on these, and on nothing else.
  const key = canonicalJson({ projectId, reach, scope, scopeKey, ...JSON.parse(JSON.stringify(wanted)) });
  const list = lists.get(key) ?? new SharedList(context, wanted, () => lists.delete(key));
  lists.set(key, list);
  return list.follow();
}

class SharedList {
  readonly #context: GraphContext;
  readonly #wanted: FollowedSessions;
  readonly #changes: AsyncIterableIterator<SessionsChanged>;
  readonly #viewers = new Set<ListViewer>();
  readonly #onClosed: () => void;
  snapshot: Snapshot | null = null;

  constructor(context: GraphContext, wanted: FollowedSessions, onClosed: () => void) {
    this.#context = context;
    this.#wanted = wanted;
    this.#onClosed = onClosed;
    this.#changes = watchSessions(context.runtime, authorityOf(context));
    void this.#read();
  }

  follow(): AsyncIterableIterator<SessionsPatchShape> {
    const viewer = new ListViewer(this, () => {
      if (!this.#viewers.delete(viewer) || this.#viewers.size > 0) return;
      this.#onClosed();
      void this.#changes.return?.();
    });
    this.#viewers.add(viewer);
    return viewer;
  }

  async #read(): Promise<void> {
    for await (const _ of this.#changes) {
      try {
        this.snapshot = await this.#look();
      } catch (error) {
        // The database may be away for a moment; the next look brings what was missed.
        this.#context.runtime.log.warn({ err: error }, "could not read a live list");
      }
      for (const viewer of [...this.#viewers]) viewer.wake();
    }
  }

  async #look(): Promise<Snapshot> {
    const { filter, orderBy, first, counts } = this.#wanted;
    const { prisma } = this.#context;
    const page = sessionPage({
      context: this.#context,
      args: { first },
      filter,
      orderBy,
      find: (read) =>
        prisma.session.findMany({
          ...read,
          select: { ...sessionRowSelect, updatedAt: true, lastSequence: true, status: true, lastRunId: true },
        }),
    });
    const { edges } = await page.rows();
    const marks = edges.map(({ node }): [string, string] => [
      node.id,
      `${node.updatedAt.getTime()} ${node.lastSequence} ${node.status} ${node.lastRunId} ${node.title}`,
    ]);
    return { marks: new Map(marks), count: counts ? await page.count() : null, rows: new Map() };
  }

  /** Of these ids, those that the list no longer has at all. */
  async gone(snapshot: Snapshot, ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const listed = await shared(snapshot, `listed ${ids.join()}`, () =>
      stillListed(this.#context, this.#wanted.filter, ids),
    );
    return ids.filter((id) => !listed.has(id));
  }
}

function shared<T>(snapshot: Snapshot, key: string, read: () => Promise<T>): Promise<T> {
  // One key has one kind of value: it names the selection, or the question.
  const known = snapshot.rows.get(key) as Promise<T> | undefined;
  if (known !== undefined) return known;
  const fresh = read();
  snapshot.rows.set(key, fresh);
  return fresh;
}

/** One viewer of a list: what it was told, so that a slow one gets what changed since, in one patch. */
class ListViewer implements AsyncIterableIterator<SessionsPatchShape> {
  readonly #list: SharedList;
  readonly #onLeft: () => void;
  #told: Snapshot | null = null;
  #looked: Snapshot | null = null;
  #wake: (() => void) | null = null;
  #left = false;

  constructor(list: SharedList, onLeft: () => void) {
    this.#list = list;
    this.#onLeft = onLeft;
  }

  wake(): void {
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<SessionsPatchShape>> {
    while (!this.#left) {
      const { snapshot } = this.#list;
      if (snapshot !== null && snapshot !== this.#looked) {
        const patch = this.#patchTo(snapshot);
        if (patch !== null) return { done: false, value: patch };
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<SessionsPatchShape>> {
    this.#left = true;
    this.#wake?.();
    this.#onLeft();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  /** Null when nothing changed for this viewer. */
  #patchTo(snapshot: Snapshot): SessionsPatchShape | null {
    this.#looked = snapshot;
    const told = this.#told;
    const before = told?.marks ?? new Map<string, string>();
    const upsertedIds = [...snapshot.marks].filter(([id, mark]) => before.get(id) !== mark).map(([id]) => id);
    const removedIds = [...before.keys()].filter((id) => !snapshot.marks.has(id));
    const order = [...snapshot.marks.keys()];
    const isMoved = order.join() !== [...before.keys()].join();
    const isSame = upsertedIds.length === 0 && removedIds.length === 0 && !isMoved && snapshot.count === told?.count;
    if (told !== null && isSame) return null;
    this.#told = snapshot;
    return {
      ...{ upsertedIds, removedIds, order, count: snapshot.count },
      goneIds: () => this.#list.gone(snapshot, removedIds),
      rows: (key, read) => shared(snapshot, `rows ${key}`, read),
    };
  }
}
