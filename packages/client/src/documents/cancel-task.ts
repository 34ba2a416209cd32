import { graphql } from "../generated/index.ts";

/** Ends a task that is still open. */
export const cancelTaskDocument = graphql(`
  mutation WheelhouseCancelTask($input: CancelTaskInput!) {
    cancelTask(input: $input) {
      __typename
      ... on CancelTaskSuccess { task { id status } }
      ... on Refusal { code message retryable }
    }
  }
`);
