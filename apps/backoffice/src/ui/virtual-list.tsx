"use client";

import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef } from "react";

export interface VirtualListHandle {
  scrollToIndex: (index: number, align?: "auto" | "start" | "center" | "end") => void;
  element: HTMLDivElement | null;
}

export interface VirtualListProps {
  count: number;
  /** The height of a row in pixels; with `measured` an estimate. */
  rowHeight: number | ((index: number) => number);
  /** Measures rows after they render, for rows whose height depends on their content. */
  measured?: boolean;
  rowKey: (index: number) => string;
  renderRow: (index: number) => ReactNode;
  /** Called when the last rows come near. */
  onEndReached?: () => void;
  /** Called with the scroll offset in pixels. */
  onScroll?: (offset: number) => void;
  initialOffset?: number;
  /** Stays above the rows inside the scroller. */
  header?: ReactNode;
  footer?: ReactNode;
  /** Names the scroller for screen readers. */
  label: string;
  role?: string;
  className?: string;
  ref?: Ref<VirtualListHandle>;
}

/** A scroller that renders only the rows in view, whatever their number. */
export function VirtualList({
  count,
  rowHeight,
  measured = false,
  rowKey,
  renderRow,
  onEndReached,
  onScroll,
  initialOffset,
  header,
  footer,
  label,
  role = "region",
  className,
  ref,
}: VirtualListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: typeof rowHeight === "function" ? rowHeight : () => rowHeight,
    getItemKey: rowKey,
    overscan: 12,
    ...(initialOffset === undefined ? {} : { initialOffset }),
  });
  useImperativeHandle(ref, () => handleOf(virtualizer, scroller), [virtualizer]);

  const items = virtualizer.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (count > 0 && lastShown >= count - 20) onEndReached?.();
  }, [count, lastShown, onEndReached]);

  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role is given by the caller and supports a name.
    <div
      ref={scroller}
      role={role}
      aria-label={label}
      // A scroller must be reachable by keyboard.
      tabIndex={0}
      onScroll={onScroll === undefined ? undefined : (event) => onScroll(event.currentTarget.scrollTop)}
      className={`h-full overflow-auto overscroll-contain focus-visible:outline-offset-[-2px] ${className ?? ""}`}
    >
      {header}
      <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
        {items.map((item) => (
          <div
            key={item.key}
            data-index={item.index}
            ref={measured ? virtualizer.measureElement : undefined}
            className="absolute top-0 left-0 w-full"
            style={{ transform: `translateY(${item.start}px)`, ...(measured ? {} : { height: item.size }) }}
          >
            {renderRow(item.index)}
          </div>
        ))}
      </div>
      {footer}
    </div>
  );
}

function handleOf(
  virtualizer: Virtualizer<HTMLDivElement, Element>,
  scroller: { current: HTMLDivElement | null },
): VirtualListHandle {
  return {
    scrollToIndex: (index, align = "auto") => virtualizer.scrollToIndex(index, { align }),
    get element() {
      return scroller.current;
    },
  };
}
