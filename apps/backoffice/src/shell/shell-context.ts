"use client";

import { createContext, useContext } from "react";

export interface ShellActions {
  openPalette: () => void;
  openShortcuts: () => void;
  /** Opens the dialog that begins a conversation, with an agent chosen when its name is given. */
  newConversation: (agent?: string) => void;
}

const nothing = () => undefined;

export const ShellContext = createContext<ShellActions>({
  openPalette: nothing,
  openShortcuts: nothing,
  newConversation: nothing,
});

/** What every page may ask of the shell around it. */
export const useShell = (): ShellActions => useContext(ShellContext);
