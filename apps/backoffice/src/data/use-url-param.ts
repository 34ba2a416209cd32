"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { useCallback, useEffect, useRef, useState } from "react";

export interface UrlParamOptions {
  /** `replace` (default) changes the address in place; `push` makes a step that Back takes back. */
  history?: "replace" | "push";
}

/** Browsers refuse addresses that change too often: a key that repeats writes the last one; milliseconds. */
const writeDelayMs = 120;

/**
 * One parameter of the address: null when it is absent. Writing null takes it away. The new value is there at once; the
 * address follows, and leads when Back, Forward or a link changes it.
 */
export function useUrlParam(
  name: string,
  { history = "replace" }: UrlParamOptions = {},
): [value: string | null, set: (value: string | null) => void] {
  const inAddress = useSearchParams().get(name);
  const pathname = usePathname();
  const [value, setValue] = useState(inAddress);
  const write = useRef<{ timer: ReturnType<typeof setTimeout>; now: () => void } | null>(null);
  useEffect(() => {
    if (write.current === null) setValue(inAddress);
  }, [inAddress]);
  useEffect(
    () => () => {
      // Leaving the page: what was chosen last belongs to the address that Back returns to.
      write.current?.now();
    },
    [],
  );
  const set = useCallback(
    (next: string | null) => {
      const chosen = next === "" ? null : next;
      setValue(chosen);
      if (write.current !== null) clearTimeout(write.current.timer);
      const now = () => {
        if (write.current !== null) clearTimeout(write.current.timer);
        write.current = null;
        if (location.pathname === pathname) writeParam(name, chosen, history);
      };
      write.current = { timer: setTimeout(now, history === "push" ? 0 : writeDelayMs), now };
    },
    [name, pathname, history],
  );
  return [value, set];
}

/** Reads the address itself, so that two parameters written in one go both stay. */
function writeParam(name: string, value: string | null, history: "replace" | "push"): void {
  const params = new URLSearchParams(location.search);
  if (params.get(name) === value) return;
  if (value === null) params.delete(name);
  else params.set(name, value);
  const query = params.toString();
  const url = `${location.pathname}${query === "" ? "" : `?${query}`}${location.hash}`;
  if (history === "push") window.history.pushState(null, "", url);
  else window.history.replaceState(null, "", url);
}
