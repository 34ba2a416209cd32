import type { ConversationRowFragment } from "../../generated/graphql.ts";
import { graphql } from "../../generated/index.ts";

export const conversationRowFragment = graphql(`
  fragment ConversationRow on Session {
    id
    title
    status
    agent { id name displayName }
    firstMessage
    lastMessage
    messageCount
    runCount
    errorCount
    usage { promptTokens completionTokens totalTokens cachedPromptTokens reasoningTokens status }
    createdAt
    lastActivityAt
  }
`);

export type ConversationRow = ConversationRowFragment;

export const conversationsDocument = graphql(`
  query Conversations($first: Int!, $after: Cursor, $filter: SessionFilter, $orderBy: SessionOrder) {
    sessions(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      nodes { ...ConversationRow }
      pageInfo { hasNextPage endCursor }
      totalCount
      totalCountIsExact
    }
  }
`);

export const conversationsLiveDocument = graphql(`
  subscription ConversationsLive($filter: SessionFilter, $first: Int) {
    sessionsLive(filter: $filter, first: $first) {
      upserted { ...ConversationRow }
      gone
    }
  }
`);
