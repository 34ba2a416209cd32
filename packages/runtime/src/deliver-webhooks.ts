import { deliveryAttempts, deliveryRestsMs, redactText, storableText } from "@wheelhouse/domain";
import { digestOf } from "@wheelhouse/domain/digest";
import type { AttemptEnding, ClaimedDelivery } from "@wheelhouse/storage";
import { openBell } from "./bell.ts";
import { secretPurpose } from "./create-webhook.ts";
import type { RuntimeDeps } from "./deps.ts";
import { OutgoingFailed, OutgoingRefused } from "./outgoing-http.ts";
import type { PeriodicWork } from "./periodic-work.ts";
import { webhookBody } from "./webhook-body.ts";
import { signatureHeaders } from "./webhook-signature.ts";

/** Of an answer, only its beginning is of interest, in the log of deliveries. */
const maxResponseBytes = 500;

/**
 * Delivers what is due, at least once and under one id. Woken by every commit that may have made a delivery; it goes on
 * claiming while others are still on their way.
 */
export const deliverWebhooks: PeriodicWork = {
  name: "deliver webhooks",
  everyMs: ({ duePollMs }) => duePollMs,
  wakeOn: ({ storage }, wake) => storage.wakeUps.onDeliveries(wake),
  async sweep(deps, signal) {
    using bell = openBell((ring) => deps.storage.wakeUps.onDeliveries(ring));
    const underWay = new Map<Promise<void>, string>();
    for (;;) {
      bell.quiet();
      const busy = new Set(underWay.values());
      const claimed = signal.aborted ? [] : await claim(deps, underWay.size, busy);
      for (const delivery of claimed) {
        const sent = deliver(deps, delivery, signal).finally(() => underWay.delete(sent));
        underWay.set(sent, delivery.webhook.id);
      }
      // What a webhook that was busy then has waiting was left out: it is looked for again.
      if (underWay.size === 0 && busy.size === 0) return;
      if (claimed.length === 0 && underWay.size > 0) await Promise.race([...underWay.keys(), bell.rung()]);
    }
  },
};

async function claim(deps: RuntimeDeps, underWay: number, busy: ReadonlySet<string>): Promise<ClaimedDelivery[]> {
  const { deliveryConcurrency, deliveriesPerWebhook: perWebhook, deliveryLeaseMs: leaseMs } = deps.tunables;
  const limit = deliveryConcurrency - underWay;
  if (limit <= 0) return [];
  return deps.storage.webhooks.claim({ limit, perWebhook, except: [...busy], leaseMs, at: deps.clock.now() });
}

async function deliver(deps: RuntimeDeps, delivery: ClaimedDelivery, signal: AbortSignal): Promise<void> {
  const { id, attempt, event, webhook } = delivery;
  const fields = { deliveryId: id, webhookId: webhook.id, event, attempt };
  try {
    const ending = await attemptOf(deps, delivery, signal);
    const written = await deps.storage.webhooks.settle({ id, attempt, ending, at: deps.clock.now() });
    if (!written) deps.log.warn(fields, "a webhook delivery took longer than its lease: it may arrive twice");
    else if (ending.status === "FAILED" || ending.status === "GONE")
      deps.log.warn({ ...fields, responseCode: ending.responseCode }, "a webhook delivery was given up");
  } catch (error) {
    // Its lease ends, and it is sent again under the same id.
    deps.log.error({ err: error, ...fields }, "could not write down how a webhook delivery went");
  }
}

/** Sends it once; how that ended is a value. */
async function attemptOf(deps: RuntimeDeps, delivery: ClaimedDelivery, signal: AbortSignal): Promise<AttemptEnding> {
  const { id, webhook } = delivery;
  const at = deps.clock.now();
  const body = webhookBody(delivery);
  let secrets: string[];
  try {
    secrets = secretsOf(deps, delivery, at);
  } catch (error) {
    deps.log.error({ err: error, webhookId: webhook.id }, "the secret of a webhook cannot be read");
    return retry(delivery, at, { responseCode: null, error: "The installation cannot read the webhook's secret" });
  }
  try {
    const answer = await deps.outgoing.send({
      method: "POST",
      url: webhook.url,
      headers: {
        "content-type": "application/json; charset=utf-8",
        "user-agent": "Wheelhouse",
        ...signatureHeaders({ id, at, body }, secrets),
      },
      body,
      timeoutMs: deps.tunables.deliveryTimeoutMs,
      maxResponseBytes,
      signal,
    });
    return endingOf(delivery, deps.clock.now(), answer);
  } catch (error) {
    if (error instanceof OutgoingRefused) return { status: "FAILED", responseCode: null, error: error.message };
    if (!(error instanceof OutgoingFailed)) throw error;
    const now = deps.clock.now();
    // The process stops: whoever is there next goes on at once.
    if (signal.aborted) return { status: "RETRY", responseCode: null, error: error.message, nextAttemptAt: now };
    return retry(delivery, now, { responseCode: null, error: error.message });
  }
}

function secretsOf({ secrets }: RuntimeDeps, { webhook }: ClaimedDelivery, at: Date): string[] {
  const { id, secretCipher, previousSecretCipher, previousSecretUntil } = webhook;
  const isOverlap = previousSecretCipher !== null && previousSecretUntil !== null && previousSecretUntil > at;
  return [secretCipher, ...(isOverlap ? [previousSecretCipher] : [])].map((sealed) =>
    secrets.open(sealed, secretPurpose(id)),
  );
}

function endingOf(delivery: ClaimedDelivery, at: Date, answer: { status: number; body: string }): AttemptEnding {
  const { status: responseCode } = answer;
  if (responseCode >= 200 && responseCode < 300) return { status: "DELIVERED", responseCode };
  if (responseCode === 410)
    return { status: "GONE", responseCode, error: "The receiver answered 410: it wants no more messages" };
  const said = responseCode >= 300 && responseCode < 400 ? "redirects are not followed" : beginningOf(answer.body);
  return retry(delivery, at, { responseCode, error: `The receiver answered ${responseCode}${said && `: ${said}`}` });
}

/** What a receiver said, on one line and without what looks like a secret. */
const beginningOf = (body: string): string =>
  redactText(storableText(body).replaceAll(/\s+/g, " ").trim()).slice(0, 200);

function retry(
  delivery: ClaimedDelivery,
  at: Date,
  why: { responseCode: number | null; error: string },
): AttemptEnding {
  const restMs = restAfter(delivery);
  if (restMs === null) return { status: "FAILED", ...why };
  return { status: "RETRY", ...why, nextAttemptAt: new Date(at.getTime() + restMs) };
}

/** Milliseconds until the next attempt; null after the last one. A replay begins the rests anew. */
export function restAfter({ id, attempt, attemptLimit }: Pick<ClaimedDelivery, "id" | "attempt" | "attemptLimit">) {
  if (attempt >= attemptLimit) return null;
  const rest = deliveryRestsMs[Math.max(0, attempt - 1 - (attemptLimit - deliveryAttempts))];
  if (rest === undefined) return null;
  // Up to a tenth more, different for each delivery, so that a receiver that comes back is not run over.
  const share = Number.parseInt(digestOf([id, attempt]).slice(0, 8), 16) / 0xffffffff;
  return rest + Math.round((rest / 10) * share);
}
