"use client";

import { runEndTypes } from "@wheelhouse/domain";
import { useRef } from "react";
import { useClient } from "../../data/data-provider.tsx";
import { useFeed } from "../../data/use-feed.ts";
import { newestFirst } from "../../lists/newest-first.ts";
import { type HeldRows, hasNothingYet, useHeldRows } from "../../lists/use-held-rows.ts";
import { useKeysetList } from "../../lists/use-keyset-list.ts";
import { type RunFilters, toRunFilter } from "./run-filters.ts";
import { newestRunsDocument, type RunListRow, runsDocument } from "./runs-documents.ts";

/** What changes a row of the list, or adds one. */
const runEvents = ["run.queued", "run.started", "run.recovered", ...runEndTypes];
const newest = 40;
/** Runs that are asked for by their ids at once. */
const mostNamed = 60;

const compareRuns = newestFirst<RunListRow>((run) => run.queuedAt);
const isOpen = (run: RunListRow): boolean => run.status === "QUEUED" || run.status === "RUNNING";

/** The runs that match, page by page; those that the project's events name are asked for again. */
export function useRunList(filters: RunFilters): HeldRows<RunListRow> {
  const client = useClient();
  const filter = toRunFilter(filters);
  const { store, state } = useKeysetList(runsDocument, { filter }, (data) => data.runs);
  const { held, apply } = useHeldRows({ store, state, compare: compareRuns, key: JSON.stringify(filter) });
  const latest = useRef({ store, filters });
  latest.current = { store, filters };

  useFeed(
    runEvents,
    async ({ runIds, fresh }, signal) => {
      const asked = latest.current.store;
      const { rows: shown } = asked.get();
      // When the stream begins, those that were open may have ended since they were read.
      const changed = fresh ? shown.filter(isOpen) : shown.filter((run) => runIds.includes(run.id));
      const named = changed.slice(0, mostNamed).map((run) => run.id);
      const answer = await client.request(
        newestRunsDocument,
        { first: newest, filter: toRunFilter(latest.current.filters), named },
        { signal },
      );
      const { store, filters } = latest.current;
      if (store !== asked) return;
      const again = answer.nodes.flatMap((node) => (node?.__typename === "Run" ? [node] : []));
      const matches = ({ status }: RunListRow) => filters.statuses.length === 0 || filters.statuses.includes(status);
      const removed = again.filter((run) => !matches(run)).map((run) => run.id);
      apply({ upserted: [...again.filter(matches), ...answer.runs.nodes], removed });
    },
    { pause: hasNothingYet(state) },
  );
  return held;
}
