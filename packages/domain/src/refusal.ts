/** Everything the product refuses, by code. The API maps each code to one union member or error. */
export const refusalCodes = {
  NOT_FOUND: { retryable: false },
  FORBIDDEN: { retryable: false },
  UNAUTHENTICATED: { retryable: false },
  INVALID_INPUT: { retryable: false },
  INVALID_CURSOR: { retryable: false },
  INVALID_ID: { retryable: false },
  SCOPE_REQUIRED: { retryable: false },
  AGENT_NOT_FOUND: { retryable: false },
  CONFIG_INVALID: { retryable: false },
  CONFIG_CONFLICT: { retryable: true },
  FILE_MANAGED: { retryable: false },
  BUSY: { retryable: true },
  IDEMPOTENCY_CONFLICT: { retryable: false },
  NOT_CANCELLABLE: { retryable: false },
  NOT_RETRYABLE: { retryable: false },
  ALREADY_DECIDED: { retryable: false },
  SESSION_EXPIRED: { retryable: false },
  RESYNC: { retryable: true },
  ARTIFACT_CONFLICT: { retryable: false },
  QUOTA_EXCEEDED: { retryable: false },
  TOO_LARGE: { retryable: false },
  BODY_MISSING: { retryable: false },
  BODY_CORRUPT: { retryable: false },
  STORE_UNAVAILABLE: { retryable: true },
  LEASE_LOST: { retryable: false },
} as const satisfies Record<string, { retryable: boolean }>;

export type RefusalCode = keyof typeof refusalCodes;

/**
 * Why a stream ends with RESYNC. SLOW: too much waited for its reader; CLOSED: an operator closed it: nothing is lost when
 * one goes on from the cursor. PRUNED: events behind the reader's cursor are no longer kept. SET_BACK: the log has never
 * been as far as the reader's cursor, so what was read from it is not what it holds.
 */
export const resyncReasons = ["SLOW", "CLOSED", "PRUNED", "SET_BACK"] as const;
export type ResyncReason = (typeof resyncReasons)[number];

/** One thing that is wrong with an input: `path` names the field (`input.content`), `message` says what to do. */
export interface Issue {
  path: string;
  message: string;
}

/**
 * The one error type for expected refusals. Its message is written for the caller and holds no secret.
 * `detail` carries what the code promises: BUSY `runId`, `taskId` of the active run; IDEMPOTENCY_CONFLICT `taskId` or
 * `sessionId` of what the key made; NOT_CANCELLABLE and NOT_RETRYABLE `taskId`, `status`; ALREADY_DECIDED `interruptId`, `decidedBy`,
 * `decidedAt`, `decision`; ARTIFACT_CONFLICT `artifactId` of the latest version, where there is one; RESYNC `cursor`, where to go on, and `reason`, one of `resyncReasons`.
 */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly issues: readonly Issue[];
  readonly detail: Readonly<Record<string, string>>;

  constructor(
    code: RefusalCode,
    message: string,
    more: { issues?: readonly Issue[]; detail?: Record<string, string> } = {},
  ) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.issues = more.issues ?? [];
    this.detail = more.detail ?? {};
  }

  get retryable(): boolean {
    return refusalCodes[this.code].retryable;
  }
}

/** The answer to an id that does not exist, and to one that the caller may not see. They are the same on purpose. */
export const notFound = (noun: string): Refusal => new Refusal("NOT_FOUND", `${noun} not found`);

/** A refusal of one named field. */
export const invalid = (path: string, message: string): Refusal =>
  new Refusal("INVALID_INPUT", `${path}: ${message}`, { issues: [{ path, message }] });
