import { accessContract } from "./access.ts";
import { artifactsContract } from "./artifacts.ts";
import { busyPoliciesContract } from "./busy-policies.ts";
import { claimingContract } from "./claiming.ts";
import { configuringContract } from "./configuring.ts";
import { configuringAtOnceContract } from "./configuring-at-once.ts";
import type { OpenContractWorld } from "./contract-world.ts";
import { decidingContract } from "./deciding.ts";
import { dispatchingContract } from "./dispatching.ts";
import { endingContract } from "./ending.ts";
import { feedContract } from "./feeding.ts";
import { forkingContract } from "./forking.ts";
import { readingContract } from "./reading.ts";
import { rebuildingContract } from "./rebuilding.ts";
import { recordingContract } from "./recording.ts";
import { retryingContract } from "./retrying.ts";
import { schedulesContract } from "./schedules.ts";
import { scopeWallContract } from "./scope-wall.ts";
import { statementsContract } from "./statements.ts";
import { submittingContract } from "./submitting.ts";
import { summariesContract } from "./summaries.ts";
import { takingBackContract } from "./taking-back.ts";
import { textContract } from "./text-values.ts";
import { wakeUpsContract } from "./wake-ups.ts";
import { webhooksContract } from "./webhooks.ts";

export { configPut, inDraft } from "./configuring.ts";
export type { ContractWorld, OpenContractWorld } from "./contract-world.ts";
export { recount } from "./recount.ts";
export * from "./sample-work.ts";

/** What every adapter of the storage port keeps to. Call it in a test file with a way to open a fresh world. */
export function storageContract(openWorld: OpenContractWorld): void {
  submittingContract(openWorld);
  claimingContract(openWorld);
  recordingContract(openWorld);
  endingContract(openWorld);
  dispatchingContract(openWorld);
  decidingContract(openWorld);
  busyPoliciesContract(openWorld);
  retryingContract(openWorld);
  forkingContract(openWorld);
  takingBackContract(openWorld);
  rebuildingContract(openWorld);
  readingContract(openWorld);
  feedContract(openWorld);
  scopeWallContract(openWorld);
  textContract(openWorld);
  summariesContract(openWorld);
  wakeUpsContract(openWorld);
  schedulesContract(openWorld);
  webhooksContract(openWorld);
  configuringContract(openWorld);
  configuringAtOnceContract(openWorld);
  artifactsContract(openWorld);
  accessContract(openWorld);
  statementsContract(openWorld);
}
