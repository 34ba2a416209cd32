"use client";

import { createClient, type WheelhouseClient } from "@wheelhouse/client";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useSyncExternalStore } from "react";
import { type ConnectionState, type ConnectionStore, createConnectionStore } from "./connection.ts";
import { createListCache, type ListCache } from "./list-cache.ts";
import { createQueryCache, type QueryCache } from "./query-cache.ts";

const projectKey = "wheelhouse:project";

/** The project that was chosen in this browser; null when there is none, and the server chooses. */
export function chosenProject(): string | null {
  try {
    return typeof localStorage === "undefined" ? null : localStorage.getItem(projectKey);
  } catch {
    return null;
  }
}

function readProject(): { project?: string } {
  const project = chosenProject();
  return project === null ? {} : { project };
}

/** Chooses the project for this browser and loads its pages afresh. */
export function chooseProject(slug: string): void {
  localStorage.setItem(projectKey, slug);
  window.location.assign("/");
}

interface Data {
  client: WheelhouseClient;
  connection: ConnectionStore;
  cache: QueryCache;
  lists: ListCache;
}

// Nothing is asked while rendering on the server, so the address does not matter there.
const apiUrl = (): string =>
  new URL("/graphql", typeof location === "undefined" ? "http://localhost" : location.href).href;

const Context = createContext<Data | null>(null);

/** One API client, one cache and one connection state for the page. */
export function DataProvider({ children }: { children: ReactNode }) {
  const data = useMemo<Data>(
    () => ({
      client: createClient({ url: apiUrl(), ...readProject() }),
      connection: createConnectionStore(),
      cache: createQueryCache(),
      lists: createListCache(),
    }),
    [],
  );
  useEffect(() => {
    const update = () => data.connection.setOnline(navigator.onLine);
    update();
    window.addEventListener("online", update);
    window.addEventListener("offline", update);
    return () => {
      window.removeEventListener("online", update);
      window.removeEventListener("offline", update);
    };
  }, [data]);
  return <Context value={data}>{children}</Context>;
}

function useData(): Data {
  const data = useContext(Context);
  if (data === null) throw new Error("This component must stand inside <DataProvider>");
  return data;
}

/** The API client, for calls outside the hooks. */
export const useClient = (): WheelhouseClient => useData().client;

/** Answers kept by document and variables; `clear` after signing out. */
export const useQueryCache = (): QueryCache => useData().cache;

/** Lists that were opened before. */
export const useListCache = (): ListCache => useData().lists;

/** Where live readers register their state. */
export const useConnectionStore = (): ConnectionStore => useData().connection;

/** What the page's live connection does. */
export function useConnection(): ConnectionState {
  const { connection } = useData();
  return useSyncExternalStore(connection.subscribe, connection.get, () => "idle");
}
