import { Refusal, type RefusalCode } from "@wheelhouse/domain";
import { builder } from "./builder.ts";
import { Interrupt, Run, Task } from "./refs.ts";

/** The object types that a refusal can be, in mutations' unions. */
export type RefusalType =
  | "NotFound"
  | "Forbidden"
  | "Invalid"
  | "Busy"
  | "IdempotencyConflict"
  | "SessionExpired"
  | "NotCancellable"
  | "AlreadyDecided";

/** Which member of a union a code becomes; null: it is not about one mutation and becomes an error of the operation. */
const typeOfCode: Record<RefusalCode, RefusalType | null> = {
  NOT_FOUND: "NotFound",
  AGENT_NOT_FOUND: "NotFound",
  FORBIDDEN: "Forbidden",
  INVALID_INPUT: "Invalid",
  INVALID_ID: "Invalid",
  INVALID_CURSOR: "Invalid",
  CONFIG_INVALID: "Invalid",
  BUSY: "Busy",
  IDEMPOTENCY_CONFLICT: "IdempotencyConflict",
  SESSION_EXPIRED: "SessionExpired",
  NOT_CANCELLABLE: "NotCancellable",
  ALREADY_DECIDED: "AlreadyDecided",
  UNAUTHENTICATED: null,
  SCOPE_REQUIRED: null,
  RESYNC: null,
};

/** A refusal on its way into a union. */
export interface Refused {
  __typename: RefusalType;
  refusal: Refusal;
}

/**
 * Answers what `act` answers, or the refusal it throws when the mutation's union has a member for it.
 * Anything else goes on as an error.
 */
export async function orRefused<T>(members: readonly RefusalType[], act: () => Promise<T>): Promise<T | Refused> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const type = typeOfCode[error.code];
    if (type === null || !members.includes(type)) throw error;
    return { __typename: type, refusal: error };
  }
}

const RefusalInterface = builder.interfaceRef<Refused>("Refusal").implement({
  description: "What was asked is refused, for a reason that the caller can act on. Nothing was written.",
  fields: (t) => ({
    code: t.string({ description: "The reason, from a closed list.", resolve: ({ refusal }) => refusal.code }),
    message: t.string({ description: "The reason, for a person.", resolve: ({ refusal }) => refusal.message }),
    retryable: t.boolean({
      description: "Whether the same request may succeed later.",
      resolve: ({ refusal }) => refusal.retryable,
    }),
  }),
  resolveType: (refused) => refused.__typename,
});

const Issue = builder.objectRef<{ path: string; message: string }>("Issue").implement({
  description: "One thing that is wrong with an input.",
  fields: (t) => ({
    path: t.exposeString("path", { description: "The field, for example `input.content`." }),
    message: t.exposeString("message", { description: "What to do about it." }),
  }),
});

const plain = (name: RefusalType, description: string) =>
  builder.objectRef<Refused>(name).implement({ description, interfaces: [RefusalInterface] });

export const NotFound = plain("NotFound", "No such row, or none that the caller may see: the answer is the same.");
export const Forbidden = plain("Forbidden", "The caller's role does not allow it.");
export const IdempotencyConflict = plain(
  "IdempotencyConflict",
  "The idempotency key was used before, for another request.",
);
export const SessionExpired = plain("SessionExpired", "The session has ended and takes no more work.");

export const Invalid = builder.objectRef<Refused>("Invalid").implement({
  description: "The input is wrong; `issues` names each field.",
  interfaces: [RefusalInterface],
  fields: (t) => ({
    issues: t.field({
      type: [Issue],
      description: "Everything that is wrong, at once.",
      resolve: ({ refusal }) => [...refusal.issues],
    }),
  }),
});

export const Busy = builder.objectRef<Refused>("Busy").implement({
  description: "The session is working and the busy policy is REJECT.",
  interfaces: [RefusalInterface],
  fields: (t) => ({
    activeRun: t.field({
      type: Run,
      nullable: true,
      description: "The run that the session is busy with.",
      resolve: ({ refusal }) => (refusal.detail.activeRunId === undefined ? null : { id: refusal.detail.activeRunId }),
    }),
  }),
});

export const NotCancellable = builder.objectRef<Refused>("NotCancellable").implement({
  description: "The task has already ended.",
  interfaces: [RefusalInterface],
  fields: (t) => ({
    task: t.field({
      type: Task,
      nullable: true,
      description: "The task in its final state.",
      resolve: ({ refusal }) => (refusal.detail.taskId === undefined ? null : { id: refusal.detail.taskId }),
    }),
  }),
});

export const AlreadyDecided = builder.objectRef<Refused>("AlreadyDecided").implement({
  description: "Somebody else answered first.",
  interfaces: [RefusalInterface],
  fields: (t) => ({
    interrupt: t.field({
      type: Interrupt,
      nullable: true,
      description: "The interrupt with the answer that won.",
      resolve: ({ refusal }) => (refusal.detail.interruptId === undefined ? null : { id: refusal.detail.interruptId }),
    }),
  }),
});
