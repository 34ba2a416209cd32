import { graphql } from "../../generated/index.ts";

export const transcriptMessageFragment = graphql(`
  fragment TranscriptMessage on Message {
    id
    role
    content
    toolCalls
    toolCallId
    model
    tokenCount
    seq
    createdAt
    runId
    run { ...RunSummary }
  }
`);

export const conversationHeadFragment = graphql(`
  fragment ConversationHead on Session {
    id
    externalId
    title
    status
    agent { id name displayName description }
    scope
    metadata
    tags
    runCount
    taskCount
    messageCount
    stepCount
    errorCount
    firstMessage
    lastSequence
    usage { promptTokens completionTokens totalTokens cachedPromptTokens reasoningTokens modelCalls status }
    createdAt
    lastActivityAt
  }
`);

/** The page of a conversation at one moment; its log goes on behind its cursor. */
export const conversationDocument = graphql(`
  query Conversation($id: ID!, $last: Int!) {
    session(id: $id) {
      ...ConversationHead
      eventCursor
      messages(last: $last) {
        nodes { ...TranscriptMessage }
        pageInfo { startCursor hasPreviousPage }
      }
      runs(last: 20) { nodes { ...RunSummary } }
      interrupts { ...InterruptRow }
      activeRun {
        ...RunSummary
        events(first: 500) {
          events { ...LogEventRow }
          endCursor
          caughtUp
        }
      }
    }
  }
`);

/** What rows know and the log does not: asked again when the log says that they changed. */
export const conversationRefreshDocument = graphql(`
  query ConversationRefresh($id: ID!, $last: Int!) {
    session(id: $id) {
      ...ConversationHead
      messages(last: $last) { nodes { ...TranscriptMessage } }
      runs(last: 5) { nodes { ...RunSummary } }
      interrupts { ...InterruptRow }
    }
  }
`);

export const earlierMessagesDocument = graphql(`
  query EarlierMessages($id: ID!, $last: Int!, $before: Cursor) {
    session(id: $id) {
      id
      messages(last: $last, before: $before) {
        nodes { ...TranscriptMessage }
        pageInfo { startCursor hasPreviousPage }
      }
    }
  }
`);

/** The runs of a conversation, newest last, for its side panel. */
export const conversationRunsDocument = graphql(`
  query ConversationRuns($id: ID!, $last: Int!, $before: Cursor) {
    session(id: $id) {
      id
      runs(last: $last, before: $before) {
        nodes { ...RunSummary }
        pageInfo { startCursor hasPreviousPage }
      }
    }
  }
`);

export const conversationEventsDocument = graphql(`
  query ConversationEvents($id: ID!, $first: Int!, $after: Cursor) {
    session(id: $id) {
      id
      events(first: $first, after: $after) {
        events { ...LogEventRow }
        endCursor
        caughtUp
        terminal
      }
    }
  }
`);

export const renameSessionDocument = graphql(`
  mutation RenameSession($input: UpdateSessionInput!) {
    updateSession(input: $input) {
      __typename
      ... on Session { id title }
      ... on Refusal { code message retryable }
      ... on Invalid { issues { path message } }
    }
  }
`);

/** Moments of a conversation that it can be forked from. */
export const sessionCheckpointsDocument = graphql(`
  query SessionCheckpoints($id: ID!, $first: Int!, $after: Cursor) {
    session(id: $id) {
      id
      checkpoints(first: $first, after: $after) {
        nodes { id step source next createdAt inConversation run { id attempt } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);
