import { graphql } from "../../generated/index.ts";

/** The definition that an agent's name means here, wherever it comes from. */
export const playgroundDefinitionDocument = graphql(`
  query PlaygroundDefinition($name: String!) {
    resolveConfig(kind: AGENT, name: $name) { id source definition place }
  }
`);

export const beginSessionDocument = graphql(`
  mutation BeginSession($input: CreateSessionInput!) {
    createSession(input: $input) {
      __typename
      ... on Session { id }
      ... on Refusal { code message retryable }
      ... on Invalid { issues { path message } }
    }
  }
`);
