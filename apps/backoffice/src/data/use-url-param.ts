"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { useCallback } from "react";

export interface UrlParamOptions {
  /** `replace` (default) changes the address in place; `push` makes a step that Back takes back. */
  history?: "replace" | "push";
}

/** One parameter of the address: null when it is absent. Writing null takes it away. */
export function useUrlParam(
  name: string,
  { history = "replace" }: UrlParamOptions = {},
): [value: string | null, set: (value: string | null) => void] {
  const params = useSearchParams();
  const pathname = usePathname();
  const set = useCallback(
    (value: string | null) => {
      // The address itself is read, so that two parameters written in one go both stay.
      const next = new URLSearchParams(location.search);
      if (value === null || value === "") next.delete(name);
      else next.set(name, value);
      const query = next.toString();
      const url = `${pathname}${query === "" ? "" : `?${query}`}${location.hash}`;
      if (history === "push") window.history.pushState(null, "", url);
      else window.history.replaceState(null, "", url);
    },
    [name, pathname, history],
  );
  return [params.get(name), set];
}
