"use client";

import { useSearchParams } from "next/navigation";
import { useCallback } from "react";

/**
 * The page's search parameters and how to change them. `push` makes an entry in the history (a chosen filter), `replace`
 * does not (typing, the selected row). The page itself stays.
 */
export function useUrlState(): {
  params: URLSearchParams;
  update: (how: "push" | "replace", change: (params: URLSearchParams) => void) => void;
} {
  const params = useSearchParams();
  const update = useCallback((how: "push" | "replace", change: (params: URLSearchParams) => void) => {
    const next = new URLSearchParams(window.location.search);
    change(next);
    const query = next.toString();
    if (query === window.location.search.slice(1)) return;
    const url = query === "" ? window.location.pathname : `?${query}`;
    if (how === "push") window.history.pushState(null, "", url);
    else window.history.replaceState(null, "", url);
  }, []);
  return { params: new URLSearchParams(params), update };
}
