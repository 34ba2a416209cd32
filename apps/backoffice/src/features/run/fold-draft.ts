import type { LiveView } from "./live-view.ts";

type Tables = Pick<LiveView, "messages" | "tools" | "runs" | "steps" | "interrupts">;
type Row<K extends keyof Tables> = Tables[K] extends ReadonlyMap<string, infer V> ? V : never;

/**
 * A view being changed. A table is copied when the first row of it is written and never again, so that folding a page
 * of 500 events into a conversation of thousands of messages costs one copy and not 500.
 */
export interface Draft extends LiveView {
  set<K extends keyof Tables>(table: K, id: string, row: Row<K>): void;
}

/** Opens a draft of the view. The view itself is never written. */
export function draftOf(view: LiveView): Draft {
  const copied = new Map<string, Map<string, unknown>>();
  const draft: Draft = {
    ...view,
    stale: { ...view.stale },
    set(table, id, row) {
      let rows = copied.get(table);
      if (rows === undefined) {
        rows = new Map<string, unknown>(draft[table]);
        copied.set(table, rows);
        Object.assign(draft, { [table]: rows });
      }
      rows.set(id, row);
    },
  };
  return draft;
}

/** Closes a draft; the same view when nothing was folded into it. */
export function finishDraft(view: LiveView, draft: Draft): LiveView {
  const { set: _set, ...next } = draft;
  return next.sequence === view.sequence ? view : next;
}
