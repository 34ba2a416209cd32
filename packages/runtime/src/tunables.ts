/** Every number that can be turned, with its reason. Times in milliseconds unless the name says otherwise. */
export const defaultTunables = {
  /** A worker that is silent for this long has lost its runs. Three beats. */
  leaseMs: 30_000,
  /** How often a worker renews its leases. */
  beatMs: 10_000,
  /** The floor under wake-ups when looking for runnable or abandoned runs. */
  claimPollMs: 1_000,
  /** How often a worker looks whether its runs are still its own: a cancellation whose wake-up was lost ends them then. */
  holdPollMs: 500,
  /** Longest time a run waits for a worker before it fails with QUEUE_TIMEOUT; 0 waits for ever. */
  queueTimeoutMs: 86_400_000,
  /** The floor under wake-ups when tailing a session, shared by all of its viewers. */
  tailPollMs: 1_000,
  /** Rest between two looks at a project's feed: many sessions commit, and whoever watches all of them sees no hurry. */
  feedRestMs: 50,
  /** A feed that waits this long for an open transaction is worth a warning. */
  feedStuckMs: 10_000,
  /** Longest time a recorded phrase waits for others, so that a reader sees text flow. */
  flushMs: 50,
  /** A batch is flushed when it holds this many events … */
  flushEvents: 64,
  /** … or this many bytes of text. */
  flushBytes: 32_768,
  /** Runs one process executes at once; LangGraph costs about 4 ms of CPU per run, models mostly wait. */
  concurrency: 50,
  /** Takeovers of one run before it fails with WORKER_LOST. */
  maxRecoveries: 3,
  /** How long a draining process lets its runs finish. */
  drainMs: 60_000,
  /** How long an agent that was resolved is used without asking whether its configuration changed; half of what is promised. */
  configCheckMs: 500,
  /** Longest definition, UTF-8 bytes of its canonical form. */
  maxDefinitionBytes: 2_000_000,
  /** Definitions of one change set. */
  maxChangeSet: 500,
  /** Agents that a change is looked through for; it may concern more. */
  maxImpact: 100,
  /** Events per page of a subscription's backlog. */
  eventPage: 500,
  /** Events a slow reader may have waiting before its stream is closed with RESYNC. */
  maxBufferedEvents: 1_000,
  /** Longest silence of a live list before it is read again, in case a wake-up was lost. */
  listPollMs: 5_000,
  /** Changes of a live list that come this close together are one change. */
  listDebounceMs: 100,
  /** How long a stopped graph may take to say its last words before it is left behind. */
  graphStopMs: 2_000,
  /**
   * Turns of a conversation that can be gone back to. Each keeps one checkpoint, which on SQLite holds the whole state and
   * on PostgreSQL what changed since the one before.
   */
  checkpointTurns: 20,
  /** How long a human may take to answer. */
  interruptTtlMs: 86_400_000,
  /** How often schedules and webhook deliveries that are due are looked for, beside wake-ups. */
  duePollMs: 1_000,
  /** Webhook deliveries that one process sends at once … */
  deliveryConcurrency: 32,
  /** … and to one webhook, so that a slow receiver holds up itself. */
  deliveriesPerWebhook: 8,
  /** A receiver has this long to answer. */
  deliveryTimeoutMs: 10_000,
  /** Nobody else sends a claimed delivery for this long: time to send it and to write down how it went. */
  deliveryLeaseMs: 60_000,
  /** How long the log of deliveries is kept: 30 days. */
  deliveryKeptMs: 2_592_000_000,
  /** How often bodies are looked for that no manifest names: the whole store is listed. */
  orphanSweepMs: 21_600_000,
  /** How old such a body must be to be marked, and a mark to be acted on: longer than any upload takes. */
  orphanAgeMs: 86_400_000,
  /** Longest text whose versions are laid side by side, bytes. */
  maxDiffBytes: 1_048_576,
  /** Longest message a caller may send, UTF-8 bytes. */
  maxMessageBytes: 1_000_000,
  /** Longest JSON input of a task, UTF-8 bytes of its canonical form. */
  maxInputBytes: 1_000_000,
  /** Longest metadata of a session or task, UTF-8 bytes. */
  maxMetadataBytes: 16_384,
};

export type Tunables = typeof defaultTunables;
