"use client";

import { useCallback, useEffect, useState } from "react";

/** What is typed and not sent yet: kept in this tab, so that a reload or a look at another page does not lose it. */
export function useDraft(sessionId: string): [text: string, setText: (text: string) => void] {
  const key = `wheelhouse:draft:${sessionId}`;
  const [text, setState] = useState("");
  useEffect(() => setState(read(key)), [key]);
  const setText = useCallback(
    (next: string) => {
      setState(next);
      write(key, next);
    },
    [key],
  );
  return [text, setText];
}

function read(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

function write(key: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // Private windows may refuse storage: the draft then lasts as long as the page.
  }
}
