"use client";

import { createContext, type ReactNode, useContext } from "react";
import type { ViewerQuery } from "../generated/graphql.ts";
import { graphql } from "../generated/index.ts";

export const viewerDocument = graphql(`
  query Viewer {
    viewer {
      kind
      name
      email
      role
      isAdmin
      project { id slug name timeZone }
      projects { id slug name }
    }
  }
`);

export type Viewer = NonNullable<ViewerQuery["viewer"]>;

const ranks = { VIEWER: 0, OPERATOR: 1, EDITOR: 2, OWNER: 3 } as const;

const Context = createContext<Viewer | null>(null);

export function ViewerProvider({ viewer, children }: { viewer: Viewer | null; children: ReactNode }) {
  return <Context value={viewer}>{children}</Context>;
}

/** Who is signed in; null while that is being asked. */
export const useViewer = (): Viewer | null => useContext(Context);

/** Whether the viewer's role reaches at least this one. While the viewer is being asked, nothing is allowed. */
export function useMay(role: keyof typeof ranks): boolean {
  const viewer = useViewer();
  return viewer !== null && ranks[viewer.role] >= ranks[role];
}
