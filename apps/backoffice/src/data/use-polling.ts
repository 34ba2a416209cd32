"use client";

import { useEffect, useRef } from "react";
import { useConnectionStore } from "./data-provider.tsx";

/**
 * Asks again and again while the page is looked at, `everyMs` milliseconds after each answer, and at once when the page
 * is looked at again. The shell says that the page polls; a failure shows as reconnecting until an answer comes.
 */
export function usePolling(
  everyMs: number,
  ask: (signal: AbortSignal) => Promise<void>,
  { pause = false }: { pause?: boolean } = {},
): void {
  const connection = useConnectionStore();
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    if (pause) return;
    const abort = new AbortController();
    const reader = connection.register();
    reader.set("polling");
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asking = false;
    const round = async () => {
      clearTimeout(timer);
      if (asking || document.visibilityState === "hidden") return;
      asking = true;
      await latest.current(abort.signal).then(
        () => reader.set("polling"),
        () => reader.set("reconnecting"),
      );
      asking = false;
      if (!abort.signal.aborted) timer = setTimeout(round, everyMs);
    };
    timer = setTimeout(round, everyMs);
    document.addEventListener("visibilitychange", round);
    window.addEventListener("online", round);
    return () => {
      abort.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", round);
      window.removeEventListener("online", round);
      reader.end();
    };
  }, [connection, everyMs, pause]);
}
