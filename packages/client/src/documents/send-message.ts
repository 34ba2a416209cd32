import { graphql } from "../generated/index.ts";

/** Says something to an agent. `cursor` stands in the log just before the answer: watch from there and miss nothing. */
export const sendMessageDocument = graphql(`
  mutation WheelhouseSendMessage($input: SendMessageInput!) {
    sendMessage(input: $input) {
      __typename
      ... on SubmitTaskSuccess { session { id } task { id status } run { id status } reused cursor }
      ... on Refusal { code message retryable }
      ... on Invalid { issues { path message } }
      ... on Busy { activeRun { id } }
    }
  }
`);
