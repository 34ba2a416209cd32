import type { AgentSource, Authority, EventVisibility, Scope, StoredEvent } from "@wheelhouse/domain";
import type {
  AgentRecord,
  CancelOutcome,
  ClaimedRun,
  CreateSessionOutcome,
  DecideOutcome,
  EventPage,
  Fence,
  InterruptDecision,
  InterruptRecord,
  NewSession,
  NewWork,
  RecordBatch,
  RunConclusion,
  RunRecord,
  SessionRecord,
  SubmitOutcome,
  TaskRecord,
} from "./records.ts";

/**
 * Where the product keeps its facts. Three rules hold for every adapter and are proved by the contract suite:
 * a method is one transaction, with its events and the session's summary inside; a row outside the caller's authority
 * is the same as a row that does not exist; losing a race is a value, not an exception.
 */
export interface Storage extends AsyncDisposable {
  readonly kind: "memory" | "sqlite" | "postgres";
  readonly agents: AgentStore;
  readonly sessions: SessionStore;
  readonly tasks: TaskStore;
  readonly runs: RunStore;
  readonly interrupts: InterruptStore;
  readonly events: EventStore;
  readonly access: AccessStore;
  readonly wakeUps: WakeUps;
  /** Answers when the database answers; throws otherwise. */
  ping(): Promise<void>;
}

export interface AgentStore {
  /** Inserts or refreshes the project's shared row of an agent that came from a file or from code. */
  register(
    projectId: string,
    agent: {
      name: string;
      displayName: string;
      description: string | null;
      source: AgentSource;
      inputSchema: unknown;
      outputSchema: unknown;
      graph: unknown;
      at: Date;
    },
  ): Promise<AgentRecord>;
}

export interface SessionStore {
  create(
    authority: Authority,
    input: {
      agentName: string;
      externalId: string | null;
      idempotencyKey: string | null;
      requestFingerprint: string;
      create: NewSession;
      at: Date;
    },
  ): Promise<CreateSessionOutcome>;
  /** Null when it does not exist for this caller. */
  get(authority: Authority, id: string): Promise<SessionRecord | null>;
  findByExternalId(authority: Authority, agentName: string, externalId: string): Promise<SessionRecord | null>;
  /** Undefined fields stay. Null when it does not exist for this caller. */
  update(
    authority: Authority,
    id: string,
    change: { title?: string | null; metadata?: Record<string, unknown>; at: Date },
  ): Promise<SessionRecord | null>;
}

export interface TaskStore {
  submit(authority: Authority, work: NewWork): Promise<SubmitOutcome>;
  get(authority: Authority, id: string): Promise<TaskRecord | null>;
  /** Terminal state first: the run and task are CANCELLED when this answers; the owner stops on the wake-up. */
  cancel(authority: Authority, input: { taskId: string; reason: string; at: Date }): Promise<CancelOutcome>;
}

export interface RunStore {
  get(authority: Authority, id: string): Promise<RunRecord | null>;
  /**
   * Takes up to `limit` runs for `owner`: queued heads (event run.started), and running ones whose lease has expired
   * (recoveries + 1, event run.recovered; past `maxRecoveries` they become FAILED with WORKER_LOST instead).
   * Exactly one of several concurrent claims wins a run.
   */
  claim(input: {
    owner: string;
    leaseMs: number;
    limit: number;
    maxRecoveries: number;
    at: Date;
  }): Promise<ClaimedRun[]>;
  /** Renews the lease. "lost" when the run ended or another claim took it: the worker must stop. */
  renew(fence: Fence, input: { leaseMs: number; at: Date }): Promise<"held" | "lost">;
  /** Lets the lease expire now, so that another worker resumes the run (drain). */
  release(fence: Fence, at: Date): Promise<void>;
  /** Lets every lease expire now. Only for the one-process topologies, at start, when no owner can be alive. */
  releaseAll(at: Date): Promise<number>;
  /** Appends a batch. The write of a superseded owner is refused as a whole. */
  record(
    fence: Fence,
    batch: RecordBatch,
  ): Promise<{ outcome: "recorded"; lastSequence: number } | { outcome: "fenced" }>;
  /** Appends the last batch together with the terminal transition, and makes the session's next queued run runnable. */
  finish(fence: Fence, batch: RecordBatch, conclusion: RunConclusion): Promise<"finished" | "fenced">;
  /** What the log and tables hold of an unfinished run, for the reconciliation that precedes a recovery. */
  openEnds(fence: Fence): Promise<{
    /** Steps still RUNNING. */
    steps: { id: string; name: string; kind: string; seq: number; parentStepId: string | null; startedAt: Date }[];
    /** Messages begun in the log and neither completed nor discarded. */
    messageIds: string[];
    /** LangGraph ids of the session's recorded messages. */
    recordedMessageIds: string[];
    lastStepSeq: number;
  }>;
}

export interface InterruptStore {
  get(authority: Authority, id: string): Promise<InterruptRecord | null>;
  /**
   * Records answers; the first one wins. When the last pending interrupt of the run is answered, the task's next run
   * (attempt + 1, id `newRunId`) is queued in the same transaction. All answers of one call must be of one task.
   */
  decide(
    authority: Authority,
    input: { decisions: InterruptDecision[]; newRunId: string; at: Date },
  ): Promise<DecideOutcome>;
}

export interface EventStore {
  /** A page of a session's log behind `after`, oldest first. Null when the session does not exist for this caller. */
  read(
    authority: Authority,
    input: { sessionId: string; runId?: string; after: number; limit: number; types?: readonly string[] },
  ): Promise<EventPage<StoredEvent> | null>;
}

export interface ProjectRecord {
  id: string;
  slug: string;
  name: string;
}

export interface ApiKeyRecord {
  id: string;
  projectId: string;
  projectSlug: string;
  name: string;
  prefix: string;
  secretHash: string;
  permissions: string[];
  reach: "EXACT" | "PROJECT";
  fixedScope: Scope | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

/** Users, projects and keys, as far as signing in needs them. */
export interface AccessStore {
  ensureProject(input: { slug: string; name: string; at: Date }): Promise<ProjectRecord>;
  projectBySlug(slug: string): Promise<ProjectRecord | null>;
  countUsers(): Promise<number>;
  grantMembership(input: { projectId: string; userId: string; role: string; at: Date }): Promise<void>;
  membershipsOf(userId: string): Promise<{ project: ProjectRecord; role: string }[]>;
  createApiKey(input: Omit<ApiKeyRecord, "id" | "projectSlug" | "revokedAt"> & { at: Date }): Promise<ApiKeyRecord>;
  apiKeyByPrefix(prefix: string): Promise<ApiKeyRecord | null>;
  apiKeys(projectId: string): Promise<(ApiKeyRecord & { lastUsedAt: Date | null; createdAt: Date })[]>;
  revokeApiKey(prefix: string, at: Date): Promise<boolean>;
  /** Remembers when a key was used, to the minute. */
  touchApiKey(id: string, at: Date): Promise<void>;
}

/** Hints that something committed. They may be lost, repeated or late: whoever waits also polls, and reads by cursor. */
export interface WakeUps {
  /** Something was appended to the session's log. Returns the function that stops listening. */
  onSession(sessionId: string, wake: () => void): () => void;
  /** Some session of the project changed. */
  onProject(projectId: string, wake: (sessionId: string) => void): () => void;
  /** A run became claimable. */
  onRunnable(wake: () => void): () => void;
  /** A run that someone may be executing was ended from outside. */
  onCancelled(wake: (runId: string) => void): () => void;
}

/** Of these visibilities a caller reads the events. */
export type Visibilities = readonly EventVisibility[];
