"use client";

import { type RefObject, useRef } from "react";
import { useShortcuts } from "../shell/shortcuts.tsx";

/** j and k through cards: each has one link with `data-card-link`, which gets the focus; Enter opens it. */
export function useCardKeys(): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  const step = (by: number) => {
    const links = [...(box.current?.querySelectorAll<HTMLElement>("[data-card-link]") ?? [])];
    const focused = document.activeElement;
    // From anywhere inside a card the next step is the next card.
    const at = links.findIndex((link) => link.closest("li")?.contains(focused) === true);
    const next = links[at < 0 ? 0 : Math.max(0, Math.min(links.length - 1, at + by))];
    next?.focus();
    next?.closest("li")?.scrollIntoView({ block: "nearest", behavior: "smooth" });
  };
  useShortcuts([
    { keys: "j", label: "Next card", group: "List", run: () => step(1) },
    { keys: "k", label: "Previous card", group: "List", run: () => step(-1) },
  ]);
  return box;
}
