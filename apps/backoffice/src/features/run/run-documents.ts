import { graphql } from "../../generated/index.ts";

export const runSummaryFragment = graphql(`
  fragment RunSummary on Run {
    id
    status
    attempt
    recoveries
    queuedAt
    startedAt
    firstEventAt
    finishedAt
    task { id }
    error { code message retryable }
    usage { promptTokens completionTokens totalTokens cachedPromptTokens reasoningTokens modelCalls status }
  }
`);

export const interruptRowFragment = graphql(`
  fragment InterruptRow on Interrupt {
    id
    kind
    actionRequests
    allowedDecisions
    requestedAt
    expiresAt
    decision
    decidedAt
    decidedBy
    closedAt
    run { id }
  }
`);

export const logEventFragment = graphql(`
  fragment LogEventRow on Event {
    id
    sequence
    type
    visibility
    at
    sessionId
    runId
    taskId
    payload
  }
`);

export const stepRowFragment = graphql(`
  fragment StepRow on Step {
    id
    name
    kind
    status
    seq
    attempt
    parentStepId
    error
    startedAt
    finishedAt
    durationMs
  }
`);

/** The page of a run: everything but its steps, which come by pages, and its manifest, which may be large. */
export const runPageDocument = graphql(`
  query RunPage($id: ID!) {
    run(id: $id) {
      ...RunSummary
      stepCount
      manifestDigest
      agent { id name displayName }
      parentRun { id }
      session { id title firstMessage status lastSequence eventCursor agent { id name displayName } }
      task { id status input runs { id attempt status } }
      interrupts { ...InterruptRow }
    }
  }
`);

export const runStepsDocument = graphql(`
  query RunSteps($id: ID!, $first: Int!, $after: Cursor) {
    run(id: $id) {
      id
      steps(first: $first, after: $after) {
        nodes { ...StepRow }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

/** One step with its payloads. */
export const stepDetailDocument = graphql(`
  query StepDetail($id: ID!) {
    node(id: $id) {
      id
      ... on Step {
        ...StepRow
        inputs
        output
        prompt
        toolUri
        toolCallId
        metadata
        modelCalls {
          id
          callType
          provider
          model
          status
          attempt
          error
          promptTokens
          completionTokens
          totalTokens
          cachedPromptTokens
          cacheWriteTokens
          reasoningTokens
          startedAt
          durationMs
          timeToFirstTokenMs
        }
      }
    }
  }
`);

export const runManifestDocument = graphql(`
  query RunManifest($id: ID!) {
    run(id: $id) { id manifest manifestDigest }
  }
`);

export const runEventPageDocument = graphql(`
  query RunEventPage($id: ID!, $first: Int!, $after: Cursor) {
    run(id: $id) {
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

export const decideInterruptsDocument = graphql(`
  mutation DecideInterrupts($input: DecideInterruptsInput!) {
    decideInterrupts(input: $input) {
      __typename
      ... on DecideInterruptsSuccess {
        interrupts { ...InterruptRow }
        run { id }
      }
      ... on Refusal { code message retryable }
      ... on Invalid { issues { path message } }
      ... on AlreadyDecided { interrupt { ...InterruptRow } }
    }
  }
`);
