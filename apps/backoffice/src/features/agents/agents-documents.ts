import { graphql } from "../../generated/index.ts";

export const agentActivityDocument = graphql(`
  query AgentActivity($agents: [String!]!) {
    all: sessions(first: 1, filter: { agents: $agents }) {
      totalCount
      totalCountIsExact
      nodes { id lastActivityAt }
    }
    busy: sessions(first: 1, filter: { agents: $agents, statuses: [BUSY] }) { totalCount }
    waiting: sessions(first: 1, filter: { agents: $agents, statuses: [WAITING] }) { totalCount }
    failed: sessions(first: 1, filter: { agents: $agents, statuses: [ERROR] }) { totalCount }
  }
`);

export const agentPageDocument = graphql(`
  query AgentPage($name: String!) {
    agent(name: $name) {
      id
      name
      displayName
      description
      source
      mode
      hidden
      configEntity { id scope }
      inputSchema
      outputSchema
      createdAt
      updatedAt
      graph {
        nodes { id label }
        edges { source target conditional label }
      }
    }
  }
`);

export const agentConversationsDocument = graphql(`
  query AgentConversations($agents: [String!]!, $first: Int!) {
    sessions(first: $first, filter: { agents: $agents }) {
      nodes { ...ConversationRow }
      totalCount
      totalCountIsExact
    }
  }
`);
