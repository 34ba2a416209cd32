"use client";

import { useCallback, useEffect, useSyncExternalStore } from "react";
import { themeStorageKey } from "./theme-script.ts";

export const themes = ["light", "dark", "system"] as const;
export type Theme = (typeof themes)[number];

const changed = "wheelhouse:theme-changed";

const isTheme = (value: string | null): value is Theme => themes.some((theme) => theme === value);

function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(themeStorageKey);
    return isTheme(stored) ? stored : "system";
  } catch {
    return "system";
  }
}

function applyTheme(theme: Theme): void {
  const dark = theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mode", dark ? "dark" : "light");
}

function subscribe(onChange: () => void): () => void {
  const media = matchMedia("(prefers-color-scheme: dark)");
  const update = () => {
    applyTheme(readTheme());
    onChange();
  };
  media.addEventListener("change", update);
  // Another tab changed it.
  window.addEventListener("storage", update);
  window.addEventListener(changed, update);
  return () => {
    media.removeEventListener("change", update);
    window.removeEventListener("storage", update);
    window.removeEventListener(changed, update);
  };
}

/** The chosen theme and how to choose another. The choice is kept in this browser and followed by its other tabs. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore<Theme>(subscribe, readTheme, () => "system");
  const choose = useCallback((next: Theme) => {
    try {
      localStorage.setItem(themeStorageKey, next);
    } catch {
      // Private windows may refuse storage: the choice then lasts as long as the page.
    }
    applyTheme(next);
    window.dispatchEvent(new Event(changed));
  }, []);
  useEffect(() => applyTheme(theme), [theme]);
  return [theme, choose];
}
