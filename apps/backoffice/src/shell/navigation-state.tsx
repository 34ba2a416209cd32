"use client";

import { usePathname } from "next/navigation";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";

interface NavigationState {
  /** Whether the drawer of narrow screens is open. */
  open: boolean;
  setOpen: (open: boolean) => void;
}

const Context = createContext<NavigationState>({ open: false, setOpen: () => undefined });

/** Holds the state of the navigation drawer; it closes when the page changes. */
export function NavigationProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const path = usePathname();
  // biome-ignore lint/correctness/useExhaustiveDependencies: closing is the answer to the path changing.
  useEffect(() => setOpen(false), [path]);
  const state = useMemo(() => ({ open, setOpen }), [open]);
  return <Context value={state}>{children}</Context>;
}

export const useNavigation = (): NavigationState => useContext(Context);
