import type {
  Appended,
  AppendGroup,
  Database,
  EventValues,
  MessageValues,
  ModelCallValues,
  StepValues,
} from "./sql.ts";
import type { Hint } from "./wake-hub.ts";

// Natural batching: a writer that is idle flushes at once, a busy one takes everything that came meanwhile with its next
// flush. No timer, so a single run waits for nothing, and five hundred share their commits.

/** One statement takes at most this many rows … */
const maxRows = 5_000;
/** … and about this much text (UTF-16 code units), so that one huge value does not hold up a writer for long. */
const maxText = 4_000_000;
/** After the connection broke, nobody knows whether the last commit happened: look, and try again this often. */
const maxReconnects = 6;

interface Waiting {
  group: AppendGroup;
  size: number;
  resolve(appended: Appended | null): void;
  reject(error: unknown): void;
}

export interface GroupCommit {
  /** Resolves after the commit; null when the fence did not hold. Appends of one session keep their order. */
  append(group: AppendGroup): Promise<Appended | null>;
  /** Resolves when nothing of the session waits any more. */
  settled(sessionId: string): Promise<void>;
}

export function groupCommit(
  db: Database,
  options: { wake: (hint: Hint) => void; pause: (ms: number) => Promise<void> },
): GroupCommit {
  const writers = Array.from({ length: db.appendShards }, (_, shard) => new Writer(db, shard, options));
  const writerOf = (sessionId: string): Writer => {
    const writer = writers[hash(sessionId) % writers.length];
    if (writer === undefined) throw new Error("There is no writer");
    return writer;
  };
  return {
    append: (group) => writerOf(group.sessionId).append(group),
    settled: (sessionId) => writerOf(sessionId).settled(sessionId),
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

class Writer {
  readonly #db: Database;
  readonly #shard: number;
  readonly #wake: (hint: Hint) => void;
  readonly #pause: (ms: number) => Promise<void>;
  #queue: Waiting[] = [];
  #inFlight: Waiting[] = [];
  #busy = false;

  constructor(
    db: Database,
    shard: number,
    options: { wake: (hint: Hint) => void; pause: (ms: number) => Promise<void> },
  ) {
    this.#db = db;
    this.#shard = shard;
    this.#wake = options.wake;
    this.#pause = options.pause;
  }

  append(group: AppendGroup): Promise<Appended | null> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ group, size: sizeOf(group), resolve, reject });
      if (this.#busy) return;
      this.#busy = true;
      // After the current tick, so that what many runs say in one tick shares a flush.
      setImmediate(() => void this.#drain());
    });
  }

  async settled(sessionId: string): Promise<void> {
    const mine = [...this.#inFlight, ...this.#queue].filter((waiting) => waiting.group.sessionId === sessionId);
    const last = mine.at(-1);
    if (last === undefined) return;
    await new Promise<void>((resolve) => {
      const { resolve: resolved, reject } = last;
      last.resolve = (appended) => {
        resolved(appended);
        resolve();
      };
      last.reject = (error) => {
        reject(error);
        resolve();
      };
    });
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      this.#inFlight = this.#take();
      await this.#flush(this.#inFlight);
      this.#inFlight = [];
    }
    this.#busy = false;
  }

  #take(): Waiting[] {
    let rows = 0;
    let size = 0;
    let end = 0;
    for (const waiting of this.#queue) {
      rows += rowsOf(waiting.group);
      size += waiting.size;
      if (end > 0 && (rows > maxRows || size > maxText)) break;
      end++;
    }
    return this.#queue.splice(0, end);
  }

  async #flush(batch: readonly Waiting[]): Promise<void> {
    try {
      this.#settle(batch, await this.#commit(batch));
    } catch (error) {
      if (this.#db.dialect.isConnectionLoss(error)) return this.#afterConnectionLoss(batch, error);
      const [only] = batch;
      if (batch.length === 1 && only !== undefined) return only.reject(error);
      // One of them is at fault. Each gets its own transaction, in order, so that only that one fails.
      for (const waiting of batch) await this.#flush([waiting]);
    }
  }

  async #commit(batch: readonly Waiting[]): Promise<(Appended | null)[]> {
    const merged = mergeGroups(batch.map((waiting) => waiting.group));
    const appended = await this.#withRetries(() => this.#db.appendAlone(this.#shard, merged.groups));
    // Each batch learns where it ended, not where the flush did.
    const behind = merged.groups.map((group) => group.events.length);
    return batch.map((waiting, i) => {
      const g = merged.groupOf[i] ?? 0;
      const end = appended[g];
      if (end === undefined || end === null) return null;
      behind[g] = (behind[g] ?? 0) - waiting.group.events.length;
      return { projectId: end.projectId, lastSequence: end.lastSequence - (behind[g] ?? 0) };
    });
  }

  async #withRetries<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (attempt >= 5 || !this.#db.dialect.isTransient(error)) throw error;
      }
    }
  }

  #settle(batch: readonly Waiting[], answers: readonly (Appended | null)[]): void {
    const sessions = new Map<string, string>();
    batch.forEach((waiting, i) => {
      const answer = answers[i] ?? null;
      if (answer !== null) sessions.set(waiting.group.sessionId, answer.projectId);
      waiting.resolve(answer);
    });
    if (sessions.size > 0)
      this.#wake({
        sessions: [...sessions].map(([sessionId, projectId]) => ({ projectId, sessionId })),
        runnable: false,
        cancelled: [],
      });
  }

  /** Batches whose events are there were committed; the others are tried again. */
  async #afterConnectionLoss(batch: readonly Waiting[], cause: unknown): Promise<void> {
    let open = [...batch];
    for (let attempt = 1; open.length > 0; attempt++) {
      await this.#pause(Math.min(50 * 2 ** (attempt - 1), 2_000));
      try {
        open = await this.#withoutCommitted(open);
        if (open.length > 0) this.#settle(open, await this.#commit(open));
        return;
      } catch (error) {
        if (!this.#db.dialect.isConnectionLoss(error)) return this.#flush(open);
        if (attempt >= maxReconnects) for (const waiting of open.splice(0)) waiting.reject(cause);
      }
    }
  }

  async #withoutCommitted(batch: readonly Waiting[]): Promise<Waiting[]> {
    const ids = batch.flatMap((waiting) => waiting.group.events.slice(-1).map((event) => event.id));
    const rows = await this.#db.query(
      `SELECT id, project_id, sequence FROM events WHERE ${this.#db.dialect.inList("id", 1)}`,
      [ids],
    );
    const found = new Map(rows.map((row) => [String(row.id), row]));
    const rowOf = (waiting: Waiting) => found.get(waiting.group.events.at(-1)?.id ?? "");
    const committed = batch.filter((waiting) => rowOf(waiting) !== undefined);
    this.#settle(
      committed,
      committed.map((waiting) => {
        const row = rowOf(waiting);
        return { projectId: String(row?.project_id), lastSequence: Number(row?.sequence) };
      }),
    );
    return batch.filter((waiting) => rowOf(waiting) === undefined);
  }
}

const rowsOf = (group: AppendGroup): number =>
  group.events.length + group.steps.length + group.messages.length + group.modelCalls.length;

/** A rough size: the long texts are the messages and what steps and events carry. */
function sizeOf(group: AppendGroup): number {
  let size = 0;
  for (const message of group.messages) size += message.content.length;
  for (const step of group.steps)
    size += roughLength(step.inputs) + roughLength(step.output) + roughLength(step.prompt);
  for (const event of group.events) size += roughLength(event.payload);
  return size;
}

function roughLength(value: unknown, depth = 0): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null || depth > 3) return 8;
  let size = 0;
  for (const inner of Object.values(value)) size += roughLength(inner, depth + 1);
  return size;
}

/** Batches of one session under one fence become one group, in order; `groupOf` says where each went. */
function mergeGroups(batches: readonly AppendGroup[]): { groups: AppendGroup[]; groupOf: number[] } {
  const places = new Map<string, number>();
  const collected: AppendGroup[][] = [];
  const groupOf = batches.map((batch) => {
    const key = `${batch.sessionId} ${batch.fence}`;
    const place = places.get(key) ?? collected.push([]) - 1;
    places.set(key, place);
    collected[place]?.push(batch);
    return place;
  });
  return { groups: collected.map(mergeOf), groupOf };
}

function mergeOf(batches: readonly AppendGroup[]): AppendGroup {
  const [first] = batches;
  const last = batches.at(-1);
  if (first === undefined || last === undefined) throw new Error("A group has at least one batch");
  const events: EventValues[] = [];
  const steps = new Map<string, StepValues>();
  const messages = new Map<string, MessageValues>();
  const modelCalls: ModelCallValues[] = [];
  for (const batch of batches) {
    events.push(...batch.events);
    modelCalls.push(...batch.modelCalls);
    // One statement may write a row once: a later word about a step or message is laid over the earlier one.
    for (const step of batch.steps) steps.set(step.id, laidOver(steps.get(step.id), step));
    for (const message of batch.messages) {
      const before = messages.get(message.langgraph_message_id);
      messages.set(message.langgraph_message_id, before ? { ...laidOver(before, message), id: before.id } : message);
    }
  }
  return {
    ...first,
    at: last.at,
    firstEventAt: batches.find((batch) => batch.firstEventAt !== null)?.firstEventAt ?? null,
    events,
    steps: [...steps.values()],
    messages: [...messages.values()],
    modelCalls,
  };
}

/** The later row, with the earlier one's values where the later has none. */
function laidOver<T extends object>(earlier: T | undefined, later: T): T {
  if (earlier === undefined) return later;
  const said = Object.entries(later).filter(([, value]) => value !== null && value !== undefined);
  return { ...earlier, ...Object.fromEntries(said) };
}

/** One batch as a group of its own, with its doubled rows laid over each other. */
export const singleGroup = (group: AppendGroup): AppendGroup => mergeOf([group]);
