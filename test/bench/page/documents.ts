/** A page of conversations as a backoffice shows it, with what is nested in each. */
export const conversationPage = `query Conversations($first: Int!) {
  sessions(first: $first) {
    nodes {
      id
      title
      status
      messageCount
      lastActivityAt
      agent { id name displayName }
      lastRun { id status durationMs queuedAt }
      messages(last: 3) { nodes { id role content createdAt } }
    }
    pageInfo { hasNextPage }
  }
}`;

/** The request's body. */
export const pageRequest = JSON.stringify({ query: conversationPage, variables: { first: 50 } });
