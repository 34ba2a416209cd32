"use client";

import type { ConnectionState } from "../data/connection.ts";
import { useClient, useConnection } from "../data/data-provider.tsx";

const words: Record<ConnectionState, { label: string; explain: string; dot: string }> = {
  idle: { label: "Ready", explain: "Nothing on this page is live", dot: "bg-faint" },
  connecting: { label: "Connecting", explain: "Opening the live connection", dot: "bg-warning" },
  "catching-up": { label: "Catching up", explain: "Reading what happened meanwhile", dot: "bg-running" },
  polling: { label: "Refreshing", explain: "This page asks for changes every few seconds", dot: "bg-success" },
  live: { label: "Live", explain: "Changes appear as they happen", dot: "bg-success" },
  reconnecting: {
    label: "Reconnecting",
    explain: "The live connection is lost. It is tried again by itself; click to try now",
    dot: "bg-warning",
  },
  offline: { label: "Offline", explain: "This device has no network. The page catches up by itself", dot: "bg-danger" },
};

/** Whether what is seen is live, in one word. */
export function ConnectionIndicator() {
  const state = useConnection();
  const client = useClient();
  const { label, explain, dot } = words[state];
  const moving = state === "connecting" || state === "catching-up" || state === "reconnecting";
  return (
    <button
      type="button"
      onClick={() => client.reconnectNow()}
      title={explain}
      className="flex h-7 items-center gap-2.5 rounded-md px-2 text-xs text-muted hover:bg-hover"
    >
      <span className="flex size-4 items-center justify-center">
        <span
          className={`size-[7px] rounded-full ${dot}`}
          style={moving ? { animation: "wh-pulse 1.2s ease-in-out infinite" } : undefined}
        />
      </span>
      <span role="status">{label}</span>
    </button>
  );
}
