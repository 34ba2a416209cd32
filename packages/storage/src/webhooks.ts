import type { Authority, DeliveryEvent, DeliveryFacts, Scope, TaskStatus, WebhookEvent } from "@wheelhouse/domain";

/** An address of another system that is told how tasks end. */
export interface WebhookRecord {
  id: string;
  projectId: string;
  url: string;
  /** The signing secret, encrypted. */
  secretCipher: string;
  /** The secret before, which still signs beside the new one until `previousSecretUntil`. */
  previousSecretCipher: string | null;
  previousSecretUntil: Date | null;
  events: WebhookEvent[];
  enabled: boolean;
  /** Why the product disabled it; null when a person did, or nobody. */
  disabledReason: string | null;
}

export type WebhookChange = Partial<
  Pick<WebhookRecord, "url" | "events" | "enabled" | "secretCipher" | "previousSecretCipher" | "previousSecretUntil">
>;

export type CreateWebhookOutcome =
  | { outcome: "created"; webhook: WebhookRecord }
  | { outcome: "tooMany"; limit: number }
  /** A caller of exact scope has no webhooks. */
  | { outcome: "forbidden" };

/** Webhooks and their deliveries belong to a project: callers of an exact scope see none. */
export interface WebhookStore {
  create(
    authority: Authority,
    input: { id: string; url: string; events: WebhookEvent[]; secretCipher: string; at: Date },
  ): Promise<CreateWebhookOutcome>;
  /** Null when it does not exist for this caller. */
  get(authority: Authority, id: string): Promise<WebhookRecord | null>;
  /** Disabling fails what still waits to be delivered. Null when it does not exist for this caller. */
  update(authority: Authority, id: string, input: { change: WebhookChange; at: Date }): Promise<WebhookRecord | null>;
  /** Whether there was one to delete; its deliveries go with it. */
  delete(authority: Authority, id: string): Promise<boolean>;
  /** Queues a delivery of the event `webhook.test`. Null when the webhook does not exist for this caller. */
  sendTest(authority: Authority, id: string, input: { deliveryId: string; at: Date }): Promise<string | null>;
  /** Queues a delivery that has ended once more, under its own id. */
  replay(authority: Authority, deliveryId: string, at: Date): Promise<"queued" | "notEnded" | "disabled" | "notFound">;
  /**
   * Takes due deliveries: each is the caller's for `leaseMs`, then due again. Exactly one of several concurrent claims
   * takes a delivery. At most `perWebhook` of one webhook, and none of those named in `except`.
   */
  claim(input: {
    limit: number;
    perWebhook: number;
    except: readonly string[];
    leaseMs: number;
    at: Date;
  }): Promise<ClaimedDelivery[]>;
  /** Writes down how an attempt ended. False when the delivery was claimed anew meanwhile: nothing is written then. */
  settle(input: { id: string; attempt: number; ending: AttemptEnding; at: Date }): Promise<boolean>;
  /** Deletes up to `limit` ended deliveries that were made before; answers how many. */
  prune(input: { before: Date; limit: number }): Promise<number>;
  /** Webhooks of all projects whose secret was encrypted before a change of the key, for encrypting it anew. */
  secrets(): Promise<Pick<WebhookRecord, "id" | "secretCipher" | "previousSecretCipher" | "previousSecretUntil">[]>;
  /** Replaces one form of the same secrets by another. False when the secrets were changed meanwhile. */
  reseal(input: {
    id: string;
    from: string;
    secretCipher: string;
    previousSecretCipher: string | null;
    at: Date;
  }): Promise<boolean>;
}

/** A delivery in the hands of whoever claimed it, with all that its body says. */
export interface ClaimedDelivery {
  /** The same for every attempt, so that a receiver can tell a repetition. */
  id: string;
  /** Which attempt this is, from 1; grows with replays. */
  attempt: number;
  /** The last attempt before it is given up. */
  attemptLimit: number;
  event: DeliveryEvent;
  facts: DeliveryFacts;
  webhook: WebhookRecord;
  /** Null for a test, which is about no task. */
  task: DeliveredTask | null;
}

/** A task as a receiver is told of it. */
export interface DeliveredTask {
  id: string;
  status: TaskStatus;
  output: unknown;
  metadata: unknown;
  createdAt: Date;
  runId: string | null;
  sessionId: string;
  externalId: string | null;
  scope: Scope;
  agentName: string;
}

export type AttemptEnding =
  | { status: "DELIVERED"; responseCode: number }
  | { status: "RETRY"; responseCode: number | null; error: string; nextAttemptAt: Date }
  | { status: "FAILED"; responseCode: number | null; error: string }
  /** The receiver wants no more: the webhook is disabled with it. */
  | { status: "GONE"; responseCode: number; error: string };
