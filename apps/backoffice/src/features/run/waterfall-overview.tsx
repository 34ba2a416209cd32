"use client";

import { type PointerEvent, useEffect, useRef } from "react";
import type { Waterfall } from "./lay-out-waterfall.ts";
import { barColour } from "./step-kinds.tsx";
import { isWhole, panBy, wholeOf, type ZoomWindow, zoomTo } from "./zoom-window.ts";

const height = 36;

export interface WaterfallOverviewProps {
  layout: Waterfall;
  window: ZoomWindow;
  onWindow: (window: ZoomWindow) => void;
}

/** The whole run in one strip, with the part that is shown. Dragging across it chooses another part. */
export function WaterfallOverview({ layout, window: shown, onWindow }: WaterfallOverviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const begin = useRef<{ drawn: number; inside: boolean; window: ZoomWindow } | null>(null);
  const { length } = layout.axis;

  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const paint = () => draw(element, layout);
    paint();
    const resized = new ResizeObserver(paint);
    resized.observe(element);
    // Colours follow the theme.
    const themed = new MutationObserver(paint);
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ["data-mode"] });
    return () => {
      resized.disconnect();
      themed.disconnect();
    };
  }, [layout]);

  const drawnAt = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.min(length, Math.max(0, ((event.clientX - box.left) / box.width) * length));
  };
  const onMove = (event: PointerEvent<HTMLDivElement>) => {
    const from = begin.current;
    if (from === null) return;
    const at = drawnAt(event);
    if (from.inside) onWindow(panBy(from.window, at - from.drawn, length));
    else if (Math.abs(at - from.drawn) > length * 0.004) {
      const [left, right] = at < from.drawn ? [at, from.drawn] : [from.drawn, at];
      onWindow({ from: left, to: right });
    }
  };
  const whole = isWhole(shown, length);
  return (
    <div
      aria-hidden="true"
      className="relative cursor-crosshair touch-none overflow-hidden border-b border-line-soft bg-sunken select-none"
      style={{ height }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        const drawn = drawnAt(event);
        begin.current = { drawn, inside: !whole && drawn >= shown.from && drawn <= shown.to, window: shown };
      }}
      onPointerMove={onMove}
      onPointerUp={(event) => {
        const from = begin.current;
        begin.current = null;
        // A click outside the shown part moves it there.
        if (from !== null && !from.inside && !whole && Math.abs(drawnAt(event) - from.drawn) <= length * 0.004) {
          const half = (shown.to - shown.from) / 2;
          onWindow(zoomTo(from.drawn - half * 0.77, from.drawn + half * 0.77, length));
        }
      }}
      onDoubleClick={() => onWindow(wholeOf(length))}
    >
      <canvas ref={canvas} className="absolute inset-0 h-full w-full" />
      {whole ? null : (
        <>
          <span
            className="absolute inset-y-0 left-0 bg-canvas/70"
            style={{ width: `${(shown.from / length) * 100}%` }}
          />
          <span
            className="absolute inset-y-0 right-0 bg-canvas/70"
            style={{ width: `${(1 - shown.to / length) * 100}%` }}
          />
          <span
            className="absolute inset-y-0 cursor-grab border-x-2 border-accent"
            style={{
              left: `${(shown.from / length) * 100}%`,
              width: `max(4px, ${((shown.to - shown.from) / length) * 100}%)`,
            }}
          />
        </>
      )}
    </div>
  );
}

function draw(canvas: HTMLCanvasElement, { rows, axis }: Waterfall): void {
  const ratio = Math.min(2, devicePixelRatio);
  const width = canvas.clientWidth;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext("2d");
  if (context === null || rows.length === 0) return;
  context.scale(ratio, ratio);
  const deepest = rows.reduce((depth, row) => Math.max(depth, row.depth), 0);
  const lane = Math.min(8, (height - 8) / (deepest + 1));
  const resolved = new Map<string, string>();
  const colourOf = (colour: string): string => {
    const known = resolved.get(colour) ?? resolveColour(canvas, colour);
    resolved.set(colour, known);
    return known;
  };
  for (const { step, depth, from, to } of rows) {
    context.fillStyle = colourOf(barColour(step.kind, step.status));
    const x = (from / axis.length) * width;
    context.fillRect(x, 4 + depth * lane, Math.max(1, ((to - from) / axis.length) * width), Math.max(1, lane - 1));
  }
}

/** A canvas knows no `light-dark()`: the element that it stands in resolves it. */
function resolveColour(element: HTMLElement, colour: string): string {
  element.style.color = colour;
  const resolved = getComputedStyle(element).color;
  element.style.color = "";
  return resolved;
}
