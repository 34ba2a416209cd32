"use client";

import { useSyncExternalStore } from "react";

const never = () => () => undefined;
const isMac = () => /Mac|iPhone|iPad/.test(navigator.platform);

/** Whether the viewer's keyboard has ⌘. False while rendering on the server. */
export const useIsMac = (): boolean => useSyncExternalStore(never, isMac, () => false);

const names: Record<string, [mac: string, other: string]> = {
  mod: ["⌘", "Ctrl"],
  shift: ["⇧", "Shift"],
  alt: ["⌥", "Alt"],
  enter: ["↵", "↵"],
  escape: ["Esc", "Esc"],
  home: ["Home", "Home"],
  end: ["End", "End"],
  arrowup: ["↑", "↑"],
  arrowdown: ["↓", "↓"],
};

/** Keys to press: `mod+k` together, `g c` one after the other. */
export function Kbd({ keys, className }: { keys: string; className?: string }) {
  const mac = useIsMac();
  const name = (key: string) => names[key.toLowerCase()]?.[mac ? 0 : 1] ?? (key.length === 1 ? key.toUpperCase() : key);
  return (
    <span className={`inline-flex items-center gap-0.5 ${className ?? ""}`}>
      {keys.split(" ").flatMap((chord) =>
        chord.split("+").map((key) => (
          <kbd
            key={`${chord}-${key}`}
            className="inline-flex h-[18px] min-w-[18px] items-center justify-center rounded border border-line bg-sunken px-1 text-[10.5px] leading-none font-medium text-muted"
          >
            {name(key)}
          </kbd>
        )),
      )}
    </span>
  );
}
