"use client";

import type { Virtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useRef,
  useState,
  type WheelEvent,
} from "react";

/** Closer to the end than this, the reader is at the end; pixels. */
const nearEnd = 60;

/** Keys that look back. */
const upwards: ReadonlySet<string> = new Set(["ArrowUp", "PageUp", "Home"]);

export interface StickToEndOptions {
  scroller: RefObject<HTMLDivElement | null>;
  virtualizer: Virtualizer<HTMLDivElement, Element>;
  /** Whether the end is to be shown at first. */
  begin: boolean;
}

/**
 * Keeps the end in view while it grows, whatever makes it grow, until the reader looks back; and again once the reader
 * comes back to it. A scroller that moves up while its content stays as high as it was was moved by the reader: by wheel,
 * finger, key, scroll bar, by the focus or by the browser's search. Rows that are measured above move it too, but they
 * change the height.
 */
export function useStickToEnd({ scroller, virtualizer, begin }: StickToEndOptions) {
  const stuck = useRef(false);
  const begun = useRef(false);
  const [atEnd, setAtEnd] = useState(true);
  const size = virtualizer.getTotalSize();

  const toEnd = useCallback(() => {
    stuck.current = true;
    setAtEnd(true);
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, [scroller]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new size is what moves the end.
  useLayoutEffect(() => {
    if (begin && !begun.current) {
      begun.current = true;
      stuck.current = true;
    }
    const element = scroller.current;
    if (stuck.current && element !== null) element.scrollTop = element.scrollHeight;
  }, [begin, size, scroller]);

  const last = useRef({ top: 0, height: 0 });
  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const { scrollTop: top, scrollHeight: height } = element;
    if (top < last.current.top - 1 && height === last.current.height) stuck.current = false;
    last.current = { top, height };
    const near = element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd;
    if (near) stuck.current = true;
    setAtEnd(near || stuck.current);
  }, [scroller]);

  const letGo = useCallback(() => {
    stuck.current = false;
  }, []);

  return {
    atEnd,
    toEnd,
    /** The reader looks at something that is not the end. */
    letGo,
    onScroll,
    intents: {
      onWheel: (event: WheelEvent) => {
        if (event.deltaY < 0) letGo();
      },
      onTouchMove: letGo,
      onKeyDown: (event: KeyboardEvent) => {
        if (upwards.has(event.key)) letGo();
      },
      onPointerDown: (event: PointerEvent) => {
        // The scroll bar is the scroller itself; its content are other elements.
        if (event.target === scroller.current) letGo();
      },
    },
  };
}
