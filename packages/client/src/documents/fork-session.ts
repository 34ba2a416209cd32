import { graphql } from "../generated/index.ts";

/** Begins another session with the conversation up to a checkpoint. */
export const forkSessionDocument = graphql(`
  mutation WheelhouseForkSession($input: ForkSessionInput!) {
    forkSession(input: $input) {
      __typename
      ... on ForkSessionSuccess { session { id } run { id } }
      ... on Refusal { code message retryable }
    }
  }
`);
