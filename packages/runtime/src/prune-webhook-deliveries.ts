import type { PeriodicWork } from "./periodic-work.ts";

const batch = 1_000;

/** Keeps the log of deliveries bounded. */
export const pruneWebhookDeliveries: PeriodicWork = {
  name: "prune webhook deliveries",
  everyMs: 3_600_000,
  async sweep({ storage, clock, tunables }, signal) {
    const before = new Date(clock.now().getTime() - tunables.deliveryKeptMs);
    while (!signal.aborted && (await storage.webhooks.prune({ before, limit: batch })) === batch);
  },
};
