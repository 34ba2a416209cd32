"use client";

import type { ResultOf } from "@wheelhouse/client";
import { useQuery } from "../../data/use-query.ts";
import { graphql } from "../../generated/index.ts";

export const agentNamesDocument = graphql(`
  query AgentNames {
    agents(first: 100) {
      nodes { id name displayName description source mode hidden }
    }
  }
`);

export type AgentName = ResultOf<typeof agentNamesDocument>["agents"]["nodes"][number];

/** The project's agents, for choosing one; undefined until they are known. */
export function useAgentNames(): readonly AgentName[] | undefined {
  return useQuery(agentNamesDocument, {}).data?.agents.nodes;
}
