import { graphql } from "../generated/index.ts";

/** Tries a task again that failed or was cancelled. */
export const retryTaskDocument = graphql(`
  mutation WheelhouseRetryTask($input: RetryTaskInput!) {
    retryTask(input: $input) {
      __typename
      ... on SubmitTaskSuccess { run { id } cursor }
      ... on Refusal { code message retryable }
    }
  }
`);
