import { z } from "zod";

/** Why a run failed: a closed set, each with whether trying again makes sense. */
export const failureCodes = {
  MODEL_ERROR: { retryable: true },
  TOOL_ERROR: { retryable: true },
  GRAPH_ERROR: { retryable: false },
  RECURSION_LIMIT: { retryable: false },
  EXECUTION_TIMEOUT: { retryable: true },
  QUEUE_TIMEOUT: { retryable: true },
  WORKER_LOST: { retryable: true },
  CONFIG_INVALID: { retryable: false },
  AGENT_NOT_FOUND: { retryable: false },
  INTERRUPT_EXPIRED: { retryable: false },
  BUDGET_EXCEEDED: { retryable: false },
  OUTPUT_TOO_LARGE: { retryable: false },
  INTERNAL: { retryable: true },
} as const satisfies Record<string, { retryable: boolean }>;

export type FailureCode = keyof typeof failureCodes;
export const FailureCode = z.enum(Object.keys(failureCodes) as [FailureCode, ...FailureCode[]]);

/** A failed run as its readers see it; `message` is already fit for callers (no secrets, no stack). */
export interface RunFailure {
  code: FailureCode;
  message: string;
}
