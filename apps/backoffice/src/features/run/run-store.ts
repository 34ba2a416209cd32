import { runEventsDocument, type WatchState } from "@wheelhouse/client";
import { isActiveRun } from "@wheelhouse/domain";
import type { InterruptRowFragment, RunPageQuery } from "../../generated/graphql.ts";
import { emptyView, foldEvents } from "./fold-events.ts";
import { createFrameQueue } from "./frame-queue.ts";
import type { LiveView, LogEvent, StepView } from "./live-view.ts";
import type { LogClient } from "./log-client.ts";
import { readEvent, readInterrupt, readRun, readStep } from "./read-rows.ts";
import { runPageDocument, runStepsDocument } from "./run-documents.ts";
import { localId, mergeRows, mergeSteps } from "./snapshot.ts";

export type RunRow = NonNullable<RunPageQuery["run"]>;

export interface RunState {
  phase: "loading" | "ready" | "failed" | "missing";
  error: unknown;
  run: RunRow | null;
  view: LiveView;
  /** False while pages of steps are still being read. */
  allSteps: boolean;
  connection: WatchState;
}

export interface RunStore {
  getState(): RunState;
  subscribe(onChange: () => void): () => void;
  open(): void;
  close(): void;
  refresh(): Promise<void>;
  decided(rows: readonly InterruptRowFragment[]): void;
}

/** As many as the API gives at once. */
const stepsPerPage = 100;
/** How long changes are collected before the run's row is read again; milliseconds. */
const refreshDelayMs = 250;

/** One run as its page sees it: its row and steps, and its log on top of them while it is active. */
export function createRunStore(client: LogClient, runId: string): RunStore {
  const local = localId(runId);
  const listeners = new Set<() => void>();
  let abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let seen = 0;
  let state: RunState = {
    phase: "loading",
    error: undefined,
    run: null,
    view: emptyView(local),
    allSteps: false,
    connection: "connecting",
  };
  const change = (patch: Partial<RunState>): void => {
    state = { ...state, ...patch };
    for (const listener of listeners) listener();
  };

  const readRow = async (signal: AbortSignal): Promise<RunRow | null> => {
    const { run } = await client.request(runPageDocument, { id: runId }, { signal });
    if (run === null) return null;
    const view = mergeRows(state.view, { runs: [readRun(run)], interrupts: run.interrupts.map(readInterrupt) });
    change({ phase: "ready", run, view });
    return run;
  };

  const readSteps = async (signal: AbortSignal): Promise<void> => {
    let after: string | null = null;
    for (;;) {
      const answer: Awaited<ReturnType<typeof page>> = await page(after, signal);
      if (answer === null) return;
      const rows = answer.nodes.map((row) => readStep(row, local));
      change({ view: mergeSteps(state.view, rows), allSteps: !answer.pageInfo.hasNextPage });
      if (!answer.pageInfo.hasNextPage) return;
      after = answer.pageInfo.endCursor;
    }
  };
  const page = async (after: string | null, signal: AbortSignal) => {
    const { run } = await client.request(runStepsDocument, { id: runId, first: stepsPerPage, after }, { signal });
    return run?.steps ?? null;
  };

  const refresh = async (): Promise<void> => {
    await readRow(abort.signal);
  };
  const notice = (): void => {
    const { runs, interrupts } = state.view.stale;
    const stale = Math.max(runs, interrupts);
    if (stale <= seen || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      seen = stale;
      // What a reading misses is read again with the next event that says so.
      refresh().then(notice, () => undefined);
    }, refreshDelayMs);
  };
  const queue = createFrameQueue<LogEvent>((events) => {
    change({ view: foldEvents(state.view, events) });
    notice();
  });

  const run = async (signal: AbortSignal): Promise<void> => {
    const row = await readRow(signal);
    if (row === null) {
      change({ phase: "missing", connection: "closed" });
      return;
    }
    const active = isActiveRun(row.status);
    if (!active) change({ connection: "closed" });
    const tail = active ? follow(row.session.eventCursor, signal) : Promise.resolve();
    await Promise.all([readSteps(signal), tail]);
  };

  const follow = async (after: string, signal: AbortSignal): Promise<void> => {
    const pages = client.watch(
      runEventsDocument,
      { runId, after },
      { signal, onState: (connection) => change({ connection }) },
    );
    for await (const { events } of pages) queue.push(events.map(readEvent));
    // The run is over and everything was delivered: the rows have the last word, payload sizes and all.
    queue.flush();
    await Promise.all([readRow(signal), readSteps(signal)]);
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
      clearTimeout(timer);
      timer = undefined;
    },
    refresh,
    decided(rows) {
      change({ view: mergeRows(state.view, { interrupts: rows.map(readInterrupt) }) });
      refresh().catch(() => undefined);
    },
  };
}

/** The steps of the view in executed order. */
export const stepsOf = (view: LiveView): StepView[] => [...view.steps.values()].sort((a, b) => a.seq - b.seq);
