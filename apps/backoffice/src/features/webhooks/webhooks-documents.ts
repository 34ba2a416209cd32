import type { DeliveryRowFragment, WebhookEvent, WebhookRowFragment } from "../../generated/graphql.ts";
import { graphql } from "../../generated/index.ts";

export const webhookRowFragment = graphql(`
  fragment WebhookRow on Webhook {
    id
    url
    events
    enabled
    disabledReason
    previousSecretUntil
    createdAt
  }
`);

export type WebhookRow = WebhookRowFragment;

export const webhooksDocument = graphql(`
  query Webhooks {
    webhooks(first: 100) {
      nodes { ...WebhookRow }
      totalCount
    }
  }
`);

export const deliveryRowFragment = graphql(`
  fragment DeliveryRow on WebhookDelivery {
    id
    messageId
    event
    status
    attempts
    responseCode
    error
    attemptedAt
    nextAttemptAt
    createdAt
    webhook { id url }
    task { id session { id } }
  }
`);

export type DeliveryRow = DeliveryRowFragment;

export const deliveriesDocument = graphql(`
  query Deliveries($first: Int!, $after: Cursor, $filter: WebhookDeliveryFilter) {
    webhookDeliveries(first: $first, after: $after, filter: $filter) {
      nodes { ...DeliveryRow }
      pageInfo { hasNextPage endCursor }
      totalCount
      totalCountIsExact
    }
  }
`);

export const newestDeliveriesDocument = graphql(`
  query NewestDeliveries($first: Int!, $filter: WebhookDeliveryFilter, $open: [ID!]!) {
    webhookDeliveries(first: $first, filter: $filter) {
      nodes { ...DeliveryRow }
    }
    nodes(ids: $open) { __typename ...DeliveryRow }
  }
`);

export const createWebhookDocument = graphql(`
  mutation CreateWebhook($input: CreateWebhookInput!) {
    createWebhook(input: $input) {
      __typename
      ... on WebhookSecretSuccess { secret webhook { id url } }
      ... on Invalid { issues { path message } }
      ... on Refusal { message }
    }
  }
`);

export const updateWebhookDocument = graphql(`
  mutation UpdateWebhook($input: UpdateWebhookInput!) {
    updateWebhook(input: $input) {
      __typename
      ... on Webhook { id }
      ... on Invalid { issues { path message } }
      ... on Refusal { message }
    }
  }
`);

export const rotateSecretDocument = graphql(`
  mutation RotateSecret($id: ID!) {
    rotateWebhookSecret(input: { webhookId: $id }) {
      __typename
      ... on WebhookSecretSuccess { secret webhook { id url } }
      ... on Refusal { message }
    }
  }
`);

export const deleteWebhookDocument = graphql(`
  mutation DeleteWebhook($id: ID!) {
    deleteWebhook(input: { webhookId: $id }) {
      __typename
      ... on Refusal { message }
    }
  }
`);

export const sendTestDocument = graphql(`
  mutation SendTest($id: ID!) {
    sendTestWebhook(input: { webhookId: $id }) {
      __typename
      ... on Refusal { message }
    }
  }
`);

export const replayDocument = graphql(`
  mutation Replay($id: ID!) {
    replayWebhookDelivery(input: { deliveryId: $id }) {
      __typename
      ... on Refusal { message }
    }
  }
`);

/** The moments of a task, in the order of the form, in words. */
export const eventChoices: readonly { value: WebhookEvent; label: string }[] = [
  { value: "TASK_COMPLETED", label: "A task is completed" },
  { value: "TASK_FAILED", label: "A task fails" },
  { value: "TASK_CANCELLED", label: "A task is cancelled" },
  { value: "TASK_REJECTED", label: "A task is rejected" },
  { value: "TASK_INPUT_REQUIRED", label: "A task waits for a person" },
];

/** The event as receivers know it: `task.completed`. */
export const eventName = (event: DeliveryRow["event"]): string => event.toLowerCase().replace("_", ".");
