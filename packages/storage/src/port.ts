import type { AgentSource, Authority, EventVisibility, Scope, StoredEvent } from "@wheelhouse/domain";
import type { ArtifactBodyStore, ArtifactStore } from "./artifacts.ts";
import type { ConfigStore } from "./configuration.ts";
import type {
  AgentRecord,
  CancelOutcome,
  CheckpointAnchors,
  ClaimedRun,
  ConversationHead,
  CreateSessionOutcome,
  DecideOutcome,
  EventPage,
  ExpiredTask,
  FeedFilter,
  FeedPage,
  FeedPlace,
  Fence,
  ForkOutcome,
  ForkRequest,
  InterruptDecision,
  InterruptRecord,
  NewSession,
  NewWork,
  RebuildOutcome,
  RebuiltMessage,
  RecordBatch,
  RetryOutcome,
  RetryRequest,
  RunConclusion,
  RunRecord,
  SessionRecord,
  SubmitOutcome,
  TaskRecord,
} from "./records.ts";
import type { ScheduleStore } from "./schedules.ts";
import type { WebhookStore } from "./webhooks.ts";

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
  readonly messages: MessageStore;
  readonly events: EventStore;
  readonly schedules: ScheduleStore;
  readonly webhooks: WebhookStore;
  readonly config: ConfigStore;
  readonly artifacts: ArtifactStore;
  readonly artifactBodies: ArtifactBodyStore;
  readonly access: AccessStore;
  readonly workers: WorkerStore;
  readonly wakeUps: WakeUps;
  readonly dispatch: RunDispatch;
  /** Answers when the database answers; throws otherwise. */
  ping(): Promise<void>;
}

export interface AgentStore {
  /**
   * Inserts or refreshes the project's shared row of an agent that came from a file or from code. One that a definition of
   * the API made stays as it is.
   */
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
  /** Draws the graph of an agent that a definition of the API made. Nothing when it is gone or newer meanwhile. */
  draw(projectId: string, input: { configEntityId: string; revision: number; graph: unknown; at: Date }): Promise<void>;
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
  /** Where the conversation stands. Null when the session does not exist for this caller. */
  head(authority: Authority, id: string): Promise<{ threadId: string; head: ConversationHead } | null>;
  findByExternalId(authority: Authority, agentName: string, externalId: string): Promise<SessionRecord | null>;
  /**
   * Says that a copy of the session's thread is about to be made, so that the copy is cleared away should nothing come of
   * it. Null when the session does not exist for this caller.
   */
  announceFork(
    authority: Authority,
    input: { sourceId: string; forkId: string; threadId: string; at: Date },
  ): Promise<SessionRecord | null>;
  /** Makes the session of a copied thread, with everything that belongs to it, and its first work when there is any. */
  fork(authority: Authority, request: ForkRequest): Promise<ForkOutcome>;
  /** Takes forks that were announced before `before` and came to nothing: from here on they cannot be finished. */
  abandonForks(input: { before: Date; limit: number; at: Date }): Promise<{ forkId: string; threadId: string }[]>;
  forgetFork(forkId: string): Promise<void>;
  /** Takes sessions in which runs ended before `before`, the longest waiting first, so that their checkpoints are pruned. */
  claimPruning(input: { before: Date; limit: number }): Promise<{ sessionId: string; threadId: string }[]>;
  /** Hands a session back whose pruning failed. */
  postponePruning(sessionId: string, at: Date): Promise<void>;
  /** What pruning has to leave of a session's last `turns` runs. Null when the session is gone. */
  checkpointAnchors(sessionId: string, turns: number): Promise<CheckpointAnchors | null>;
  /**
   * The sessions of a caller's reach, or `only` one of them, in the order of their ids behind `after`; with the run that
   * was the last of each.
   */
  page(
    authority: Authority,
    input: { after: string | null; limit: number; only?: string | null },
  ): Promise<{ id: string; lastRunId: string | null }[]>;
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
  /**
   * Terminal state first: the run and task are CANCELLED when this answers; the owner stops on the wake-up. By `runId` the
   * task is cancelled only while this run is queued or running.
   */
  cancel(
    authority: Authority,
    input: ({ taskId: string } | { runId: string }) & { reason: string; at: Date },
  ): Promise<CancelOutcome>;
  /**
   * Queues another run of a task that failed or was cancelled. The conversation goes back to where it stood before the
   * last run; what that run said leaves the transcript (events message.discarded) and stays in the log.
   */
  retry(authority: Authority, request: RetryRequest): Promise<RetryOutcome>;
}

export interface RunStore {
  get(authority: Authority, id: string): Promise<RunRecord | null>;
  /**
   * Takes up to `limit` runs for `owner`: queued heads (event run.started), and running ones whose lease has expired
   * (recoveries + 1, event run.recovered; past `maxRecoveries` they become FAILED with WORKER_LOST instead).
   * Exactly one of several concurrent claims wins a run. With `runIds` only these are looked at.
   *
   * Leases are counted by the database's own clock, in one process by a clock that only goes forward: a replica whose
   * clock is wrong, or jumps, takes nobody's runs. `at` is for the records.
   */
  claim(input: {
    owner: string;
    leaseMs: number;
    limit: number;
    maxRecoveries: number;
    at: Date;
    runIds?: readonly string[];
  }): Promise<ClaimedRun[]>;
  /** Renews the leases of these runs. Answers the runs that are lost: ended, or taken by another claim. */
  renew(fences: readonly Fence[], input: { leaseMs: number }): Promise<string[]>;
  /** Of these runs the ones that are lost, without renewing: how an owner hears of a cancellation whose hint was lost. */
  lost(fences: readonly Fence[]): Promise<string[]>;
  /** Lets the lease expire now, so that another worker resumes the run (drain). */
  release(fence: Fence): Promise<void>;
  /** Lets every lease expire now. Only for the one-process topologies, at start, when no owner can be alive. */
  releaseAll(): Promise<number>;
  /** Ends up to `limit` runs that were queued before `before` and nobody has taken: FAILED with QUEUE_TIMEOUT. */
  expireQueued(input: { before: Date; limit: number; at: Date }): Promise<number>;
  /** Records where the conversation stood before a run whose `head` had to be looked up. "fenced" when it is not the owner's any more. */
  begin(fence: Fence, input: { checkpointBefore: string | null; at: Date }): Promise<"begun" | "fenced">;
  /** Appends a batch. The write of a superseded owner is refused as a whole. */
  record(
    fence: Fence,
    batch: RecordBatch,
  ): Promise<{ outcome: "recorded"; lastSequence: number } | { outcome: "fenced" }>;
  /** Appends the last batch together with the terminal transition, and makes the session's next queued run runnable. */
  finish(fence: Fence, batch: RecordBatch, conclusion: RunConclusion): Promise<"finished" | "fenced">;
  /**
   * Takes messages of an unfinished run out of the transcript again, because no checkpoint has them: their rows are
   * removed, and the log says that they are discarded.
   */
  takeBack(
    fence: Fence,
    input: { langgraphMessageIds: readonly string[]; reason: string; at: Date },
  ): Promise<"takenBack" | "fenced">;
  /** What the log and tables hold of an unfinished run, for the reconciliation that precedes a recovery. */
  openEnds(fence: Fence): Promise<{
    /** Steps still RUNNING. */
    steps: { id: string; name: string; kind: string; seq: number; parentStepId: string | null; startedAt: Date }[];
    /** Messages begun in the log and neither completed nor discarded. */
    messageIds: string[];
    /** LangGraph ids of the session's recorded messages. */
    recordedMessageIds: string[];
    /** Of those, the ones that this run said: all of its own but the user's. */
    ownMessageIds: string[];
    lastStepSeq: number;
    /** Tokens that the run's model calls have reported. */
    tokensUsed: number;
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
  /**
   * Fails tasks that have waited past the time of one of their interrupts (code INTERRUPT_EXPIRED) and closes their open
   * interrupts, in up to `limit` sessions. Of an answer and an expiry that race, one wins; sessions that somebody else
   * holds are passed over.
   */
  expire(input: { limit: number; at: Date }): Promise<ExpiredTask[]>;
}

export interface MessageStore {
  /**
   * Makes a session's transcript say what its checkpoint says: rows are changed by their LangGraph ids and keep their
   * place, time and attribution, missing ones are inserted, none is removed; what the log never heard is told. With
   * `dryRun` it only says what it would do. A second time it finds nothing to do. `lastSequence` is that of the session
   * before the checkpoint was read: one that went on since is left alone.
   */
  rebuild(
    authority: Authority,
    input: { sessionId: string; lastSequence: number; messages: readonly RebuiltMessage[]; dryRun: boolean; at: Date },
  ): Promise<RebuildOutcome>;
}

export interface EventStore {
  /** A page of a session's log behind `after`, oldest first. Null when the session does not exist for this caller. */
  read(
    authority: Authority,
    input: { sessionId: string; runId?: string; after: number; limit: number; types?: readonly string[] },
  ): Promise<EventPage<StoredEvent> | null>;
  /**
   * A page of the project's feed: the events of every session that the caller reaches, in an order that later commits
   * only ever append to. Looks at no more than `scan` rows, so that a rare filter answers in time too.
   */
  readFeed(
    authority: Authority,
    input: { after: FeedPlace | null; limit: number; scan: number; filter?: FeedFilter },
  ): Promise<FeedPage>;
  /** Where the feed ends now: behind everything that may be read already. */
  feedEnd(): Promise<FeedPlace>;
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

/** A process that executes runs. */
export interface WorkerRecord {
  id: string;
  role: string;
  host: string;
  version: string;
  /** Runs in its hands. */
  running: number;
  startedAt: Date;
  /** By the database's clock. */
  beatAt: Date;
}

/** Which processes execute runs, by their own word. */
export interface WorkerStore {
  /** Says that it is alive, and forgets those that have been silent for `forgetAfterMs`. */
  beat(worker: Omit<WorkerRecord, "beatAt">, input: { forgetAfterMs: number }): Promise<void>;
  /** Says that it has stopped. */
  remove(id: string): Promise<void>;
  /** Those that have said something within the last `withinMs`, oldest first. */
  live(withinMs: number): Promise<WorkerRecord[]>;
}

/** A worker, as dispatch sees it. */
export interface RunTaker {
  /** How many more runs it takes now. */
  free(): number;
  /** Takes this run if it can be had, or, with null, whatever can. Rejects when the database could not be asked. */
  take(runId: string | null): Promise<void>;
}

/** Runs on their way to one worker, until it is disposed. */
export interface Dispatching extends AsyncDisposable {
  /** A full worker has a place again. */
  placeFree(): void;
  /** When it last looked for runs with success; monotonic, milliseconds. */
  readonly lookedAt: number;
}

/**
 * Brings runnable runs to workers. A run that becomes runnable is dispatched in the transaction that makes it so; the
 * run's own row decides who executes it, so a dispatch that comes twice or too late changes nothing.
 */
export interface RunDispatch {
  /** Begins to bring runs to `taker`, at once and then as they come; looks at least once per `pollMs`. */
  start(taker: RunTaker, input: { pollMs: number; concurrency: number }): Dispatching;
  /** Dispatches the runs whose lease has expired. Any number of processes may do so at once. Answers how many. */
  recoverExpired(): Promise<number>;
  /**
   * Makes good what a dead process left: dispatches that it had begun `staleMs` ago or longer go to others, and runs that
   * have waited that long without one get one. Any number of processes may do so at once.
   */
  repair(input: { staleMs: number }): Promise<{ unlocked: number; dispatched: number }>;
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
  /** A webhook may have something to deliver. */
  onDeliveries(wake: () => void): () => void;
  /** A definition of the project changed. */
  onConfig(projectId: string, wake: () => void): () => void;
}

/** Of these visibilities a caller reads the events. */
export type Visibilities = readonly EventVisibility[];
