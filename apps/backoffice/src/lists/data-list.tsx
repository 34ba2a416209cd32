"use client";

import { type ReactNode, useCallback, useEffect, useRef } from "react";
import { useShortcuts } from "../shell/shortcuts.tsx";
import { Button } from "../ui/button.tsx";
import { Spinner } from "../ui/status.tsx";
import { VirtualList, type VirtualListHandle } from "../ui/virtual-list.tsx";
import { rowGroupRole, rowRole, tableRole } from "./table-cells.tsx";
import { useIsNarrow } from "./use-is-narrow.ts";

export interface DataListProps<Row> {
  /** Names the table. */
  label: string;
  rows: readonly Row[];
  /** All rows of the list, loaded or not; -1 when unknown. */
  totalCount: number;
  /** Heights of a row in pixels, on wide and on narrow screens. */
  rowHeight: { wide: number; narrow: number };
  /** The header's cells, on wide screens. */
  header: ReactNode;
  /** The cells of a row. The first link in it with `data-row-link` is what Enter opens. */
  renderRow: (row: Row) => ReactNode;
  /** The same columns for the header and every row: a class with grid-template-columns. */
  columns: string;
  activeId: string | null;
  onActive: (id: string | null) => void;
  onEndReached: () => void;
  loadingMore: boolean;
  /** The next page failed: offers to try again. */
  failedMore: boolean;
  onHold?: (hold: boolean) => void;
  scrollOffset?: { get: () => number; set: (offset: number) => void };
}

/** A table of any length: virtual rows, j/k and arrow keys, Enter, a place that is kept. */
export function DataList<Row extends { id: string }>(props: DataListProps<Row>) {
  const { rows, activeId, onActive, columns, onHold } = props;
  const narrow = useIsNarrow();
  const list = useRef<VirtualListHandle>(null);
  const rowHeight = narrow ? props.rowHeight.narrow : props.rowHeight.wide;
  const held = useHold(onHold, activeId !== null);
  useListKeys({ rows, activeId, onActive, list });

  const offset = props.scrollOffset;
  const onScroll = useCallback(
    (position: number) => {
      offset?.set(position);
      held.scrolled(position > 4);
    },
    [offset, held.scrolled],
  );
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role comes with tableRole.
    <div
      {...tableRole}
      aria-label={props.label}
      aria-rowcount={props.totalCount}
      className="flex h-full min-h-0 flex-col"
      onPointerEnter={() => held.pointed(true)}
      onPointerLeave={() => held.pointed(false)}
    >
      {narrow ? null : (
        <div {...rowGroupRole} className="shrink-0 border-b border-line bg-sunken/60">
          <div
            {...rowRole}
            className={`grid h-8 items-center gap-3 px-4 text-2xs font-medium whitespace-nowrap text-muted ${columns}`}
          >
            {props.header}
          </div>
        </div>
      )}
      <VirtualList
        // Rows of another height make another list.
        key={rowHeight}
        ref={list}
        role="rowgroup"
        label={props.label}
        count={rows.length}
        rowHeight={rowHeight}
        rowKey={(index) => rows[index]?.id ?? String(index)}
        onEndReached={props.onEndReached}
        onScroll={onScroll}
        initialOffset={offset?.get() ?? 0}
        className="min-h-0 flex-1"
        renderRow={(index) => {
          const row = rows[index];
          return row === undefined ? null : (
            <ListRow
              id={row.id}
              index={index}
              active={row.id === activeId}
              className={narrow ? "px-4" : `grid items-center gap-3 px-4 ${columns}`}
            >
              {props.renderRow(row)}
            </ListRow>
          );
        }}
        footer={
          props.failedMore ? (
            <div role="alert" className="flex h-12 items-center justify-center gap-3 text-xs text-danger-ink">
              The next rows could not be loaded
              <Button size="xs" onClick={props.onEndReached}>
                Try again
              </Button>
            </div>
          ) : props.loadingMore ? (
            <div className="flex h-12 items-center justify-center text-muted">
              <Spinner />
            </div>
          ) : null
        }
      />
    </div>
  );
}

interface ListRowProps {
  id: string;
  index: number;
  active: boolean;
  className: string;
  children: ReactNode;
}

function ListRow({ id, index, active, className, children }: ListRowProps) {
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role comes with rowRole.
    <div
      {...rowRole}
      aria-rowindex={index + 1}
      aria-selected={active}
      data-row={id}
      className={`relative h-full border-b border-line-soft hover:bg-hover has-[[data-row-link]:focus-visible]:bg-selected has-[[data-row-link]:focus-visible]:shadow-[inset_2px_0_0_var(--color-focus)] aria-selected:bg-selected ${className}`}
    >
      {children}
    </div>
  );
}

interface ListKeys {
  rows: readonly { id: string }[];
  activeId: string | null;
  onActive: (id: string | null) => void;
  list: { current: VirtualListHandle | null };
}

/** j, k, arrows, Home, End and Esc move the active row; the focus goes with it, so that Enter opens it. */
function useListKeys({ rows, activeId, onActive, list }: ListKeys): void {
  const focusOn = useRef<string | null>(null);
  useEffect(() => {
    if (activeId === null || focusOn.current !== activeId) return;
    // The row is rendered in the frame after the list scrolled to it.
    const frame = requestAnimationFrame(() => {
      focusOn.current = null;
      const row = list.current?.element?.querySelector(`[data-row="${CSS.escape(activeId)}"]`);
      const link = row?.querySelector<HTMLElement>("[data-row-link]");
      link?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [activeId, list]);

  const go = (index: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (row === undefined) return;
    focusOn.current = row.id;
    list.current?.scrollToIndex(rows.indexOf(row));
    onActive(row.id);
  };
  const at = activeId === null ? -1 : rows.findIndex((row) => row.id === activeId);
  const next = () => go(at + 1);
  const previous = () => go(at < 0 ? 0 : at - 1);
  useShortcuts([
    { keys: "j", label: "Next row", group: "List", run: next },
    { keys: "k", label: "Previous row", group: "List", run: previous },
    { keys: "arrowdown", label: "Next row", group: "List", run: next },
    { keys: "arrowup", label: "Previous row", group: "List", run: previous },
    { keys: "home", label: "First row", group: "List", run: () => go(0) },
    { keys: "end", label: "Last loaded row", group: "List", run: () => go(rows.length - 1) },
    {
      keys: "escape",
      label: "Leave the list",
      group: "List",
      run: () => {
        onActive(null);
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      },
    },
  ]);
}

/** Whether somebody is looking at particular rows: scrolled away from the top, pointing, or moving by keys. */
function useHold(onHold: ((hold: boolean) => void) | undefined, selected: boolean) {
  const reasons = useRef({ scrolled: false, pointed: false, selected });
  const last = useRef(false);
  const tell = useCallback(() => {
    const { scrolled, pointed, selected } = reasons.current;
    const hold = scrolled || pointed || selected;
    if (hold === last.current) return;
    last.current = hold;
    onHold?.(hold);
  }, [onHold]);
  useEffect(() => {
    reasons.current.selected = selected;
    tell();
  }, [selected, tell]);
  const scrolled = useCallback(
    (yes: boolean) => {
      reasons.current.scrolled = yes;
      tell();
    },
    [tell],
  );
  const pointed = useCallback(
    (yes: boolean) => {
      reasons.current.pointed = yes;
      tell();
    },
    [tell],
  );
  return { scrolled, pointed };
}
