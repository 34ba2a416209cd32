import { deliverWebhooks } from "./deliver-webhooks.ts";
import { expireInterruptsWork } from "./expire-interrupts.ts";
import { expireQueuedRuns } from "./expire-queued-runs.ts";
import { fireSchedules } from "./fire-schedules.ts";
import { clearForks } from "./fork-session.ts";
import type { PeriodicWork } from "./periodic-work.ts";
import { pruneCheckpoints } from "./prune-checkpoints.ts";
import { pruneWebhookDeliveries } from "./prune-webhook-deliveries.ts";
import { resealSecrets } from "./reseal-secrets.ts";
import { deleteCondemnedBodies, sweepOrphanedBodies } from "./sweep-artifact-bodies.ts";

/** Everything a process that does work looks after again and again. */
export const periodicWorks: readonly PeriodicWork[] = [
  expireInterruptsWork,
  expireQueuedRuns,
  fireSchedules,
  deliverWebhooks,
  pruneWebhookDeliveries,
  resealSecrets,
  pruneCheckpoints,
  clearForks,
  sweepOrphanedBodies,
  deleteCondemnedBodies,
];
