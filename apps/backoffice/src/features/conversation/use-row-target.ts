"use client";

import type { Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { localId } from "../run/snapshot.ts";

export interface RowTargetOptions {
  rows: readonly { key: string }[];
  virtualizer: Virtualizer<HTMLDivElement, Element>;
  hasEarlier: boolean;
  /** Reads earlier messages; answers whether there may be more. */
  onEarlier: () => Promise<boolean>;
}

/** Pages that are read in search of a row before the search is given up. */
const mostPages = 60;

/** The row that a fragment of the address names: `#message-<id>`, `#run-<id>`, `#tool-<id>`, with global or local ids. */
export function keyOfHash(hash: string): string | null {
  const match = /^#(message|run|tool|interrupt)-(.+)$/.exec(hash);
  const [, noun, id] = match ?? [];
  if (noun === undefined || id === undefined) return null;
  const known = /^(Message|Run)_/.test(id) ? localId(id) : decodeURIComponent(id);
  return `${noun}-${known}`;
}

/** Brings the row that the address names into view, reading earlier messages until it is there. Answers its key. */
export function useRowTarget({ rows, virtualizer, hasEarlier, onEarlier }: RowTargetOptions): string | null {
  const [wanted, setWanted] = useState<string | null>(() =>
    typeof location === "undefined" ? null : keyOfHash(location.hash),
  );
  const shown = useRef<string | null>(null);
  const pages = useRef(0);
  useEffect(() => {
    const onHash = () => {
      shown.current = null;
      pages.current = 0;
      setWanted(keyOfHash(location.hash));
    };
    window.addEventListener("hashchange", onHash);
    return () => window.removeEventListener("hashchange", onHash);
  }, []);
  useEffect(() => {
    if (wanted === null || shown.current === wanted || rows.length === 0) return;
    const index = rows.findIndex((row) => row.key === wanted);
    if (index >= 0) {
      shown.current = wanted;
      // Rows above are measured only when they come into view: the second call corrects what the first one estimated.
      virtualizer.scrollToIndex(index, { align: "center" });
      requestAnimationFrame(() => virtualizer.scrollToIndex(index, { align: "center" }));
      return;
    }
    if (!hasEarlier || pages.current >= mostPages) {
      shown.current = wanted;
      virtualizer.scrollToEnd();
      return;
    }
    pages.current += 1;
    void onEarlier();
  }, [wanted, rows, virtualizer, hasEarlier, onEarlier]);
  return wanted;
}
