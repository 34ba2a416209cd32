import type { RunListRowFragment } from "../../generated/graphql.ts";
import { graphql } from "../../generated/index.ts";

export const runListRowFragment = graphql(`
  fragment RunListRow on Run {
    id
    status
    attempt
    queuedAt
    startedAt
    finishedAt
    durationMs
    error { code message }
    usage { promptTokens completionTokens totalTokens cachedPromptTokens reasoningTokens status }
    agent { id name displayName }
    session { id title firstMessage }
  }
`);

export type RunListRow = RunListRowFragment;

export const runsDocument = graphql(`
  query Runs($first: Int!, $after: Cursor, $filter: RunFilter) {
    runs(first: $first, after: $after, filter: $filter) {
      nodes { ...RunListRow }
      pageInfo { hasNextPage endCursor }
      totalCount
      totalCountIsExact
    }
  }
`);

export const newestRunsDocument = graphql(`
  query NewestRuns($first: Int!, $filter: RunFilter, $named: [ID!]!) {
    runs(first: $first, filter: $filter) {
      nodes { ...RunListRow }
    }
    nodes(ids: $named) { __typename ...RunListRow }
  }
`);
