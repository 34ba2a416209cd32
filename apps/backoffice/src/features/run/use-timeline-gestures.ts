"use client";

import { type PointerEvent, type RefObject, useEffect, useRef } from "react";
import { panBy, type ZoomWindow, zoomBy } from "./zoom-window.ts";

export interface TimelineGestures {
  /** The strip that shows the window from edge to edge. */
  element: RefObject<HTMLDivElement | null>;
  window: ZoomWindow;
  length: number;
  onWindow: (window: ZoomWindow) => void;
}

/** How much one notch of a wheel zooms: e to the power of this, per pixel of its travel. */
const zoomPerPixel = 0.0022;

/**
 * Zooming and panning by pointer: the wheel over the timeline with Ctrl or ⌘ (or a pinch) zooms around the pointer, sideways
 * or with Shift it pans; dragging the strip pans. The wheel alone scrolls the rows, as everywhere.
 */
export function useTimelineGestures({ element, window: shown, length, onWindow }: TimelineGestures) {
  const latest = useRef({ shown, length, onWindow });
  latest.current = { shown, length, onWindow };
  const dragged = useRef<{ x: number; window: ZoomWindow } | null>(null);

  useEffect(() => {
    const strip = element.current;
    const area = strip?.closest<HTMLElement>("[role=tree]") ?? strip;
    if (strip === null || area === null) return;
    const onWheel = (event: WheelEvent) => {
      const { shown: now, length: whole, onWindow: show } = latest.current;
      const box = strip.getBoundingClientRect();
      if (event.clientX < box.left) return;
      const width = now.to - now.from;
      const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const anchor = now.from + ((event.clientX - box.left) / box.width) * width;
        show(zoomBy(now, Math.exp(event.deltaY * zoomPerPixel), anchor, whole));
      } else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
        event.preventDefault();
        show(panBy(now, (sideways / box.width) * width, whole));
      }
    };
    // React listens to wheels passively, and a zoom must keep the browser from zooming the page.
    area.addEventListener("wheel", onWheel, { passive: false });
    return () => area.removeEventListener("wheel", onWheel);
  }, [element]);

  return {
    onPointerDown(event: PointerEvent<HTMLDivElement>) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      dragged.current = { x: event.clientX, window: latest.current.shown };
    },
    onPointerMove(event: PointerEvent<HTMLDivElement>) {
      const from = dragged.current;
      if (from === null) return;
      const { length: whole, onWindow: show } = latest.current;
      const width = from.window.to - from.window.from;
      show(panBy(from.window, ((from.x - event.clientX) / event.currentTarget.clientWidth) * width, whole));
    },
    onPointerUp() {
      dragged.current = null;
    },
    onPointerCancel() {
      dragged.current = null;
    },
  };
}
