/** Every number that can be turned, with its reason. Times in milliseconds unless the name says otherwise. */
export const defaultTunables = {
  /** A worker that is silent for this long has lost its runs. Three beats. */
  leaseMs: 30_000,
  /** How often a worker renews its leases. */
  beatMs: 10_000,
  /** The floor under wake-ups when looking for runnable or abandoned runs. */
  claimPollMs: 1_000,
  /** The floor under wake-ups when tailing a session, shared by all of its viewers. */
  tailPollMs: 1_000,
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
  /** How long a human may take to answer. */
  interruptTtlMs: 86_400_000,
  /** Longest message a caller may send, UTF-8 bytes. */
  maxMessageBytes: 1_000_000,
  /** Longest JSON input of a task, UTF-8 bytes of its canonical form. */
  maxInputBytes: 1_000_000,
  /** Longest metadata of a session or task, UTF-8 bytes. */
  maxMetadataBytes: 16_384,
};

export type Tunables = typeof defaultTunables;
