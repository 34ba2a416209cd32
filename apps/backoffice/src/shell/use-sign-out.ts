"use client";

import { useQueryCache } from "../data/data-provider.tsx";
import { authClient } from "./auth-client.ts";

/** Ends the session and leaves nothing of it in the page. */
export function useSignOut(): () => Promise<void> {
  const cache = useQueryCache();
  return async () => {
    await authClient.signOut().catch(() => undefined);
    cache.clear();
    // A full load: no state of the old viewer survives it.
    window.location.assign("/sign-in");
  };
}
