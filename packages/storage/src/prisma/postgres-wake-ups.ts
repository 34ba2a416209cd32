import pg from "pg";
import { z } from "zod";
import type { Hint, WakeHub } from "./wake-hub.ts";

// Hints between processes. One NOTIFY carries everything that committed while the last one was on its way, in a
// transaction of its own: in the writers' transactions it would make all commits of the database queue up.

/** PostgreSQL refuses payloads of 8,000 bytes; ids are ASCII, so length is bytes. */
const maxPayload = 7_900;
const maxPauseMs = 5_000;

export interface PostgresWakeUps extends AsyncDisposable {
  send(hint: Hint): void;
  /** Resolves when the first LISTEN is in place, or has failed and is being tried again. */
  attempted: Promise<void>;
}

const Message = z.object({
  o: z.string(),
  s: z.record(z.string(), z.array(z.string())).optional(),
  r: z.literal(1).optional(),
  c: z.array(z.string()).optional(),
});

export interface PostgresWakeUpOptions {
  /** Where NOTIFY is sent. */
  pool: pg.Pool;
  /** A direct address: a pooler in transaction mode swallows LISTEN. */
  listen: pg.ClientConfig;
  channel: string;
  origin: string;
  hub: WakeHub;
  pause: (ms: number) => Promise<void>;
  onError: (error: unknown) => void;
}

export function postgresWakeUps(options: PostgresWakeUpOptions): PostgresWakeUps {
  const listener = new Listener(options);
  const sender = new Sender(options);
  return {
    send: (hint) => sender.add(hint),
    attempted: listener.attempted,
    async [Symbol.asyncDispose]() {
      await Promise.all([listener.close(), sender.settled()]);
    },
  };
}

class Sender {
  readonly #options: PostgresWakeUpOptions;
  #sessions = new Map<string, Set<string>>();
  #cancelled = new Set<string>();
  #runnable = false;
  #sending: Promise<void> | null = null;

  constructor(options: PostgresWakeUpOptions) {
    this.#options = options;
  }

  add(hint: Hint): void {
    for (const { projectId, sessionId } of hint.sessions) {
      const sessions = this.#sessions.get(projectId) ?? new Set();
      this.#sessions.set(projectId, sessions.add(sessionId));
    }
    for (const runId of hint.cancelled) this.#cancelled.add(runId);
    this.#runnable ||= hint.runnable;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  async settled(): Promise<void> {
    while (this.#sending !== null) await this.#sending;
  }

  async #sendAll(): Promise<void> {
    for (let payloads = this.#take(); payloads.length > 0; payloads = this.#take()) {
      try {
        await this.#options.pool.query({
          name: "notify",
          text: "SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload",
          values: [this.#options.channel, payloads],
        });
      } catch (error) {
        // A lost hint costs its readers one poll.
        this.#options.onError(error);
      }
    }
  }

  #take(): string[] {
    const payloads = hintPayloads(this.#options.origin, {
      sessions: this.#sessions,
      cancelled: this.#cancelled,
      runnable: this.#runnable,
    });
    this.#sessions = new Map();
    this.#cancelled = new Set();
    this.#runnable = false;
    return payloads;
  }
}

interface Collected {
  sessions: ReadonlyMap<string, ReadonlySet<string>>;
  cancelled: ReadonlySet<string>;
  runnable: boolean;
}

/** The collected ids as payloads of less than 8,000 bytes each; none when there is nothing to say. */
export function hintPayloads(origin: string, collected: Collected): string[] {
  const payloads: string[] = [];
  const push = (part: object) => payloads.push(JSON.stringify({ o: origin, ...part }));
  const perPayload = Math.floor((maxPayload - 200) / 42);
  if (collected.runnable) push({ r: 1 });
  for (const ids of chunksOf([...collected.cancelled], perPayload)) push({ c: ids });
  for (const [projectId, ids] of collected.sessions)
    for (const chunk of chunksOf([...ids], perPayload)) push({ s: { [projectId]: chunk } });
  return payloads;
}

const chunksOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

class Listener {
  readonly #options: PostgresWakeUpOptions;
  readonly attempted: Promise<void>;
  #client: pg.Client | null = null;
  #closed = false;
  #wakeFromPause: () => void = () => undefined;
  readonly #loop: Promise<void>;

  constructor(options: PostgresWakeUpOptions) {
    this.#options = options;
    let attempted = (): void => undefined;
    this.attempted = new Promise<void>((resolve) => {
      attempted = resolve;
    });
    this.#loop = this.#listenForEver(attempted);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wakeFromPause();
    await this.#client?.end().catch(() => undefined);
    await this.#loop;
  }

  async #listenForEver(attempted: () => void): Promise<void> {
    for (let failures = 0; !this.#closed; ) {
      try {
        const { lost } = await this.#listen();
        if (failures > 0) this.#options.hub.wakeEverybody();
        failures = 0;
        attempted();
        await lost;
        failures = 1;
      } catch (error) {
        failures++;
        if (!this.#closed) this.#options.onError(error);
        attempted();
      }
      if (!this.#closed)
        await Promise.race([
          this.#options.pause(Math.min(100 * 2 ** (failures - 1), maxPauseMs)),
          new Promise<void>((resolve) => {
            this.#wakeFromPause = resolve;
          }),
        ]);
    }
  }

  /** Connects and listens; `lost` resolves when the connection is. */
  async #listen(): Promise<{ lost: Promise<void> }> {
    const client = new pg.Client(this.#options.listen);
    this.#client = client;
    const lost = new Promise<void>((resolve) => {
      client.on("end", resolve);
      client.on("error", (error) => {
        if (!this.#closed) this.#options.onError(error);
        resolve();
      });
    });
    client.on("notification", (message) => this.#receive(message.payload ?? ""));
    await client.connect();
    await client.query(`LISTEN "${this.#options.channel}"`);
    return { lost };
  }

  #receive(payload: string): void {
    const parsed = Message.safeParse(parseJson(payload));
    if (!parsed.success || parsed.data.o === this.#options.origin) return;
    const { s = {}, r, c = [] } = parsed.data;
    this.#options.hub.deliver({
      sessions: Object.entries(s).flatMap(([projectId, ids]) => ids.map((sessionId) => ({ projectId, sessionId }))),
      runnable: r === 1,
      cancelled: c,
    });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
