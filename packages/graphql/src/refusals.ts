import { Refusal, type RefusalCode } from "@wheelhouse/domain";
import { builder } from "./builder.ts";
import { Artifact, Interrupt, Run, Task } from "./refs.ts";

/** The object types that a refusal can be, in mutations' unions. */
export type RefusalType =
  | "NotFound"
  | "Forbidden"
  | "Invalid"
  | "Busy"
  | "IdempotencyConflict"
  | "SessionExpired"
  | "NotCancellable"
  | "NotRetryable"
  | "AlreadyDecided"
  | "ConfigConflict"
  | "ConfigInvalid"
  | "FileManaged"
  | "ArtifactConflict"
  | "QuotaExceeded"
  | "TooLarge"
  | "BodyUnavailable";

/** Which member of a union a code becomes; null: it is not about one mutation and becomes an error of the operation. */
const typeOfCode: Record<RefusalCode, RefusalType | null> = {
  NOT_FOUND: "NotFound",
  AGENT_NOT_FOUND: "NotFound",
  FORBIDDEN: "Forbidden",
  INVALID_INPUT: "Invalid",
  INVALID_ID: "Invalid",
  INVALID_CURSOR: "Invalid",
  CONFIG_INVALID: "Invalid",
  CONFIG_CONFLICT: "ConfigConflict",
  FILE_MANAGED: "FileManaged",
  BUSY: "Busy",
  IDEMPOTENCY_CONFLICT: "IdempotencyConflict",
  SESSION_EXPIRED: "SessionExpired",
  NOT_CANCELLABLE: "NotCancellable",
  NOT_RETRYABLE: "NotRetryable",
  ALREADY_DECIDED: "AlreadyDecided",
  ARTIFACT_CONFLICT: "ArtifactConflict",
  QUOTA_EXCEEDED: "QuotaExceeded",
  TOO_LARGE: "TooLarge",
  BODY_MISSING: "BodyUnavailable",
  BODY_CORRUPT: "BodyUnavailable",
  STORE_UNAVAILABLE: "BodyUnavailable",
  LEASE_LOST: null,
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
    const usual = typeOfCode[error.code];
    // Where definitions are written, all that is wrong with the input is about them.
    const type = usual === "Invalid" && members.includes("ConfigInvalid") ? "ConfigInvalid" : usual;
    if (type === null || !members.includes(type)) throw error;
    return { __typename: type, refusal: error };
  }
}

export const RefusalInterface = builder.interfaceRef<Refused>("Refusal").implement({
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

export const Issue = builder.objectRef<{ path: string; message: string }>("Issue").implement({
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
export const FileManaged = plain(
  "FileManaged",
  "A workspace file, or the host program, defines it: it is changed there. A narrower scope may have one of its own.",
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

export const ConfigInvalid = builder.objectRef<Refused>("ConfigInvalid").implement({
  description: "The definition, or what becomes of others by it, is wrong. Nothing was written.",
  interfaces: [RefusalInterface],
  fields: (t) => ({
    issues: t.field({
      type: [Issue],
      description: "Everything that is wrong, at once; paths lead into the definition, such as `tools[2]`.",
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
      resolve: ({ refusal }) => (refusal.detail.runId === undefined ? null : { id: refusal.detail.runId }),
    }),
  }),
});

export const NotCancellable = builder.objectRef<Refused>("NotCancellable").implement({
  description: "The task, or the run that was named, has already ended.",
  interfaces: [RefusalInterface],
  fields: (t) => ({
    task: t.field({
      type: Task,
      description: "The task as it is; its state is final unless only one of its runs has ended.",
      resolve: ({ refusal: { detail } }) => {
        if (detail.taskId === undefined) throw new Error("A refused cancellation names its task");
        return { id: detail.taskId };
      },
    }),
  }),
});

export const NotRetryable = builder.objectRef<Refused>("NotRetryable").implement({
  description: "The task did not fail, or other work came after it; fork from a checkpoint instead.",
  interfaces: [RefusalInterface],
  fields: (t) => ({
    task: t.field({
      type: Task,
      nullable: true,
      description: "The task as it is.",
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

export const ArtifactConflict = builder.objectRef<Refused>("ArtifactConflict").implement({
  description: "The latest version is another one than was expected.",
  interfaces: [RefusalInterface],
  fields: (t) => ({
    current: t.field({
      type: Artifact,
      nullable: true,
      description: "The artifact as it is; null when there is none.",
      resolve: ({ refusal }) => (refusal.detail.artifactId === undefined ? null : { id: refusal.detail.artifactId }),
    }),
  }),
});
export const QuotaExceeded = plain("QuotaExceeded", "The project keeps as many bytes of artifacts as it may.");
export const TooLarge = plain("TooLarge", "The body is longer than any may be.");
export const BodyUnavailable = plain(
  "BodyUnavailable",
  "The store of bodies could not do it (STORE_UNAVAILABLE), or does not have the body that was written (BODY_MISSING, BODY_CORRUPT).",
);
