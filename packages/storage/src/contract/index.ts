import { accessContract } from "./access.ts";
import { claimingContract } from "./claiming.ts";
import type { OpenContractWorld } from "./contract-world.ts";
import { decidingContract } from "./deciding.ts";
import { endingContract } from "./ending.ts";
import { readingContract } from "./reading.ts";
import { recordingContract } from "./recording.ts";
import { scopeWallContract } from "./scope-wall.ts";
import { statementsContract } from "./statements.ts";
import { submittingContract } from "./submitting.ts";
import { summariesContract } from "./summaries.ts";
import { textContract } from "./text-values.ts";
import { wakeUpsContract } from "./wake-ups.ts";

export type { ContractWorld, OpenContractWorld } from "./contract-world.ts";

/** What every adapter of the storage port keeps to. Call it in a test file with a way to open a fresh world. */
export function storageContract(openWorld: OpenContractWorld): void {
  submittingContract(openWorld);
  claimingContract(openWorld);
  recordingContract(openWorld);
  endingContract(openWorld);
  decidingContract(openWorld);
  readingContract(openWorld);
  scopeWallContract(openWorld);
  textContract(openWorld);
  summariesContract(openWorld);
  wakeUpsContract(openWorld);
  accessContract(openWorld);
  statementsContract(openWorld);
}
