"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { useUrlState } from "./use-url-state.ts";

/** Browsers refuse too many changes of the address in a row. */
const writeDelayMs = 250;

/** The row that j and k move, kept in the address as `at`, so that coming back finds it. */
export function useActiveRow(): [activeId: string | null, setActive: (id: string | null) => void] {
  const { params, update } = useUrlState();
  const inUrl = params.get("at");
  const [activeId, setActiveId] = useState(inUrl);
  const [seen, setSeen] = useState(inUrl);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Back, forward, or a filter that cleared it.
  if (inUrl !== seen) {
    setSeen(inUrl);
    setActiveId(inUrl);
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  const setActive = useCallback(
    (id: string | null) => {
      setActiveId(id);
      clearTimeout(timer.current);
      timer.current = setTimeout(
        () =>
          update("replace", (next) => {
            if (id === null) next.delete("at");
            else next.set("at", id);
          }),
        writeDelayMs,
      );
    },
    [update],
  );
  return [activeId, setActive];
}
