import type { ReactNode } from "react";

export interface ScrollerProps {
  /** Names the region for screen readers. */
  label: string;
  className?: string;
  children: ReactNode;
}

/** A region that scrolls by itself; the keyboard reaches it, as it must. */
export function Scroller({ label, className, children }: ScrollerProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of form fields is something else, and a landmark too much.
    <div
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard.
      tabIndex={0}
      className={`overflow-y-auto focus-visible:outline-offset-[-2px] ${className ?? ""}`}
    >
      {children}
    </div>
  );
}
