import { formatMark, formatSpan } from "./format-span.ts";
import type { TimeAxis } from "./time-axis.ts";
import { ticksOf, type ZoomWindow } from "./zoom-window.ts";

export interface TimeScaleProps {
  axis: TimeAxis;
  window: ZoomWindow;
  /** Drawn milliseconds under the pointer. */
  playhead: number | null;
}

/** Round marks above the bars, in real time since the run began; the pointer's time over them. */
export function TimeScale({ axis, window, playhead }: TimeScaleProps) {
  const { ticks, step } = ticksOf(window, 6);
  const width = window.to - window.from;
  const place = (drawn: number) => `${((drawn - window.from) / width) * 100}%`;
  return (
    <div aria-hidden="true">
      {ticks.map((tick) => (
        <span key={tick} className="absolute inset-y-0 border-l border-line-soft pl-1.5" style={{ left: place(tick) }}>
          <span className="tnum text-[11px] leading-7 whitespace-nowrap text-muted">
            {formatMark(axis.toTime(tick) - axis.startsAt, step)}
          </span>
        </span>
      ))}
      {axis.gaps.map((gap) => (
        <span
          key={gap.at}
          title={`Nothing ran for ${formatSpan(gap.ms)}`}
          className="tnum absolute top-1.5 z-10 -translate-x-1/2 rounded border border-line bg-sunken px-1 text-[10.5px] leading-4 whitespace-nowrap text-muted"
          style={{ left: place(gap.at + gap.width / 2) }}
        >
          {formatSpan(gap.ms)}
        </span>
      ))}
      {playhead === null ? null : (
        <span
          className="tnum absolute top-1 z-20 -translate-x-1/2 rounded bg-ink px-1.5 text-[11px] leading-5 whitespace-nowrap text-surface"
          style={{ left: `clamp(28px, ${place(playhead)}, calc(100% - 28px))` }}
        >
          {formatSpan(axis.toTime(playhead) - axis.startsAt)}
        </span>
      )}
    </div>
  );
}
