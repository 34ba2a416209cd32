import { sessionEventsDocument, type WatchState } from "@wheelhouse/client";
import type {
  ConversationHeadFragment,
  ConversationQuery,
  InterruptRowFragment,
  RunSummaryFragment,
} from "../../generated/graphql.ts";
import { emptyView, foldEvents } from "../run/fold-events.ts";
import { createFrameQueue } from "../run/frame-queue.ts";
import type { LiveView, LogEvent } from "../run/live-view.ts";
import type { LogClient } from "../run/log-client.ts";
import { readEvent, readInterrupt, readRun } from "../run/read-rows.ts";
import { localId, mergeRows, openView } from "../run/snapshot.ts";
import {
  conversationDocument,
  conversationRefreshDocument,
  earlierMessagesDocument,
} from "./conversation-documents.ts";
import { readMessage } from "./read-message.ts";
import { createSends, type Sends } from "./sends.ts";

/** Messages of the first page … */
const pageSize = 60;
/** … and of each earlier one: as many as the API gives at once. */
const earlierSize = 100;
/** Rows read again when the log says that they changed: a run rarely adds more before the next reading. */
const refreshSize = 30;
/** Changes that come together are read together; milliseconds. */
const refreshDelayMs = 180;

export type Session = ConversationHeadFragment;

export interface ConversationState {
  phase: "loading" | "ready" | "failed" | "missing";
  error: unknown;
  session: Session | null;
  view: LiveView;
  connection: WatchState;
  earlier: { cursor: string | null; has: boolean; loading: boolean; error: unknown };
}

export interface ConversationStore {
  getState(): ConversationState;
  subscribe(onChange: () => void): () => void;
  /** Reads the conversation and follows its log until `close`. */
  open(): void;
  close(): void;
  /** Reads a page of older messages; answers whether there may be more. */
  loadEarlier(): Promise<boolean>;
  /** Reads rows again now, for example after a decision. */
  refresh(): Promise<void>;
  /** Puts decided interrupts into the view and reads what followed from them. */
  decided(rows: readonly InterruptRowFragment[]): void;
  setTitle(title: string | null): void;
  readonly sends: Sends;
}

type Found = NonNullable<ConversationQuery["session"]>;

/** One conversation as its page sees it: rows and log in one view, its unsent messages, its connection. */
export function createConversationStore(client: LogClient, sessionId: string): ConversationStore {
  const local = localId(sessionId);
  const listeners = new Set<() => void>();
  let abort = new AbortController();
  let state: ConversationState = {
    phase: "loading",
    error: undefined,
    session: null,
    view: emptyView(local),
    connection: "connecting",
    earlier: { cursor: null, has: false, loading: false, error: undefined },
  };

  const change = (patch: Partial<ConversationState>): void => {
    state = { ...state, ...patch };
    for (const listener of listeners) listener();
  };
  const show = (view: LiveView): void => {
    if (view === state.view) return;
    change({ view });
    sends.reconcile(view);
  };
  const sends = createSends(client, sessionId, {
    view: () => state.view,
    changed: () => change({}),
  });

  const refresher = createRefresher(
    () => state.view,
    async () => {
      const { session } = await client.request(
        conversationRefreshDocument,
        { id: sessionId, last: refreshSize },
        { signal: abort.signal },
      );
      if (session === null) return;
      change({ session });
      show(
        mergeRows(state.view, {
          messages: session.messages.nodes.map(readMessage),
          runs: runsOf(session.runs.nodes, session.messages.nodes),
          interrupts: session.interrupts.map(readInterrupt),
        }),
      );
    },
  );

  const queue = createFrameQueue<LogEvent>((events) => {
    show(foldEvents(state.view, events));
    refresher.notice();
  });

  const follow = async (after: string, signal: AbortSignal): Promise<void> => {
    const pages = client.watch(
      sessionEventsDocument,
      { sessionId, after },
      {
        signal,
        onState: (connection) => change({ connection }),
        // The log before the place where the server goes on may be gone: the rows tell what it said.
        onResync: () => void refresher.now().catch(() => undefined),
      },
    );
    for await (const page of pages) queue.push(page.events.map(readEvent));
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    const { session } = await client.request(conversationDocument, { id: sessionId, last: pageSize }, { signal });
    if (session === null) {
      change({ phase: "missing", connection: "closed" });
      return;
    }
    const opened = openSession(session);
    change({
      phase: "ready",
      session,
      view: opened.view,
      earlier: {
        cursor: session.messages.pageInfo.startCursor,
        has: session.messages.pageInfo.hasPreviousPage,
        loading: false,
        error: undefined,
      },
    });
    await follow(opened.after, signal);
  };

  return {
    getState: () => state,
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    open() {
      abort = new AbortController();
      const { signal } = abort;
      if (state.error !== undefined)
        change({ phase: state.phase === "failed" ? "loading" : state.phase, error: undefined });
      run(signal).catch((error: unknown) => {
        if (!signal.aborted)
          change({ phase: state.phase === "ready" ? "ready" : "failed", error, connection: "closed" });
      });
    },
    close() {
      abort.abort();
      queue.close();
      refresher.close();
    },
    async loadEarlier() {
      const { cursor, has, loading } = state.earlier;
      if (!has || loading) return has;
      change({ earlier: { ...state.earlier, loading: true, error: undefined } });
      try {
        const { session } = await client.request(
          earlierMessagesDocument,
          { id: sessionId, last: earlierSize, before: cursor },
          { signal: abort.signal },
        );
        const nodes = session?.messages.nodes ?? [];
        const info = session?.messages.pageInfo;
        change({
          earlier: {
            cursor: info?.startCursor ?? null,
            has: info?.hasPreviousPage ?? false,
            loading: false,
            error: undefined,
          },
          view: mergeRows(state.view, { messages: nodes.map(readMessage), runs: runsOf([], nodes) }),
        });
        return state.earlier.has;
      } catch (error) {
        change({ earlier: { ...state.earlier, loading: false, error } });
        return false;
      }
    },
    refresh: () => refresher.now(),
    decided(rows) {
      const interrupts = new Map(state.view.interrupts);
      for (const row of rows.map(readInterrupt)) interrupts.set(row.id, row);
      show({ ...state.view, interrupts });
      // The log brings the rest; a reading that fails here is repeated by it.
      refresher.now().catch(() => undefined);
    },
    setTitle(title) {
      if (state.session !== null) change({ session: { ...state.session, title } });
    },
    sends,
  };
}

function openSession(session: Found): { view: LiveView; after: string } {
  const { activeRun, messages, runs } = session;
  const known = runsOf(activeRun === null ? runs.nodes : [...runs.nodes, activeRun], messages.nodes);
  const { view, tailFrom } = openView(
    {
      sessionId: localId(session.id),
      status: session.status,
      sequence: session.lastSequence,
      messages: messages.nodes.map(readMessage),
      runs: known,
      interrupts: session.interrupts.map(readInterrupt),
    },
    activeRun?.events.events.map(readEvent) ?? [],
    activeRun?.events.caughtUp ?? true,
  );
  return {
    view,
    after: tailFrom === "events" && activeRun !== null ? activeRun.events.endCursor : session.eventCursor,
  };
}

type WithRun = { run: RunSummaryFragment | null };

/** The runs of a page, each once; those that came with a message are as new as the others. */
const runsOf = (runs: readonly RunSummaryFragment[], messages: readonly WithRun[]) => {
  const byId = new Map<string, RunSummaryFragment>();
  for (const { run } of messages) if (run !== null) byId.set(run.id, run);
  for (const run of runs) byId.set(run.id, run);
  return [...byId.values()].map(readRun);
};

/** Reads rows again when the view says that they went stale: soon, but never twice at once. */
function createRefresher(view: () => LiveView, read: () => Promise<void>) {
  let seen = { messages: 0, runs: 0, interrupts: 0 };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reading: Promise<void> | null = null;

  const isStale = (): boolean => {
    const { messages, runs, interrupts } = view().stale;
    return messages > seen.messages || runs > seen.runs || interrupts > seen.interrupts;
  };
  const now = async (): Promise<void> => {
    if (reading !== null) return reading;
    const { messages, runs, interrupts } = view().stale;
    reading = read().finally(() => {
      reading = null;
    });
    await reading;
    seen = { messages, runs, interrupts };
  };
  const notice = (): void => {
    if (timer !== undefined || !isStale()) return;
    timer = setTimeout(() => {
      timer = undefined;
      // A reading that failed is tried again with the next event, or by the next page of a connection that came back.
      now().then(notice, () => undefined);
    }, refreshDelayMs);
  };
  return {
    notice,
    now,
    close() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
