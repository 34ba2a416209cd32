"use client";

import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from "react";
import { createKeySequences, isTyping } from "./key-sequences.ts";

export interface Shortcut {
  /** `j`, `?`, `mod+k`, or one after the other: `g c`. */
  keys: string;
  label: string;
  group: "Go to" | "List" | "Conversation" | "Run" | "General";
  run: () => void;
  /** Also while typing in a field. Only for combinations with `mod`. */
  whileTyping?: boolean;
}

interface Registry {
  add: (shortcuts: { current: readonly Shortcut[] }) => () => void;
  all: () => readonly Shortcut[];
}

const modalSelector = '[role="dialog"][data-open], [role="menu"], [role="listbox"][data-open]';

const Context = createContext<Registry | null>(null);

/** Listens to the keyboard once for the whole page. The newest registration of the same keys wins. */
export function ShortcutsProvider({ children }: { children: ReactNode }) {
  const registry = useMemo(() => {
    const sets = new Set<{ current: readonly Shortcut[] }>();
    return {
      add: (shortcuts: { current: readonly Shortcut[] }) => {
        sets.add(shortcuts);
        return () => {
          sets.delete(shortcuts);
        };
      },
      all: () => [...sets].flatMap((set) => set.current),
    };
  }, []);
  useEffect(() => {
    const sequences = createKeySequences();
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      // A dialog or a menu has the keyboard for itself.
      const typing = isTyping(event.target) || document.querySelector(modalSelector) !== null;
      const shortcuts = registry.all().filter((each) => !typing || each.whileTyping === true);
      const hit = sequences.press(
        event,
        shortcuts.map((each) => each.keys),
      );
      if (hit === null) return;
      event.preventDefault();
      shortcuts.findLast((each) => each.keys === hit)?.run();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [registry]);
  return <Context value={registry}>{children}</Context>;
}

/** Offers shortcuts while mounted. They appear in the shortcut sheet by themselves. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const registry = useContext(Context);
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => registry?.add(latest), [registry]);
}

/** Every shortcut that is offered now. */
export function useShortcutList(): () => readonly Shortcut[] {
  const registry = useContext(Context);
  return () => registry?.all() ?? [];
}
