import { randomUUID } from "node:crypto";
import pg from "pg";
import { z } from "zod";
import type { Hint, WakeHub } from "./wake-hub.ts";

// Hints between processes. One NOTIFY carries everything that committed while the last one was on its way, in a
// transaction of its own: in the writers' transactions it would make all commits of the database queue up.

/** How long the self-test's notification may take; without a pooler in between it takes milliseconds. */
const selfTestMs = 5_000;
/** How often a listener sees to it that its connection is still there, and how long the answer may take. */
const pingEveryMs = 15_000;
const pingTimeoutMs = 10_000;

/** The notifications of this process do not reach its own listener. Nothing is lost by it: everybody also polls. */
export class DeafListener extends Error {
  constructor() {
    super(
      "PostgreSQL's notifications do not arrive, so changes of other processes are seen by polling, up to a second late. " +
        "Does the address lead through a pooler in transaction mode? Then name a direct one in DATABASE_LISTEN_URL",
    );
    this.name = "DeafListener";
  }
}

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
  d: z.literal(1).optional(),
  f: z.array(z.string()).optional(),
  /** A self-test of the origin. */
  t: z.string().optional(),
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
  /** Also told, with a DeafListener, when a self-test fails. */
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
  #deliveries = false;
  #configs = new Set<string>();
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
    this.#deliveries ||= hint.deliveries ?? false;
    for (const projectId of hint.configs ?? []) this.#configs.add(projectId);
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
      deliveries: this.#deliveries,
      configs: this.#configs,
    });
    this.#sessions = new Map();
    this.#cancelled = new Set();
    this.#runnable = false;
    this.#deliveries = false;
    this.#configs = new Set();
    return payloads;
  }
}

interface Collected {
  sessions: ReadonlyMap<string, ReadonlySet<string>>;
  cancelled: ReadonlySet<string>;
  runnable: boolean;
  deliveries?: boolean;
  configs?: ReadonlySet<string>;
}

/** The collected ids as payloads of less than 8,000 bytes each; none when there is nothing to say. */
export function hintPayloads(origin: string, collected: Collected): string[] {
  const payloads: string[] = [];
  const push = (part: object) => payloads.push(JSON.stringify({ o: origin, ...part }));
  const perPayload = Math.floor((maxPayload - 200) / 42);
  if (collected.runnable) push({ r: 1 });
  if (collected.deliveries) push({ d: 1 });
  for (const ids of chunksOf([...collected.cancelled], perPayload)) push({ c: ids });
  for (const ids of chunksOf([...(collected.configs ?? [])], perPayload)) push({ f: ids });
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
  #onTested: (test: string) => void = () => undefined;
  #saidDeaf = false;
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
        await Promise.race([lost, this.#test(lost)]);
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

  /** Sends a notification the way all others go, and says so, once, when it does not arrive. Never rejects. */
  async #test(lost: Promise<void>): Promise<void> {
    const { origin, pool, channel, onError } = this.#options;
    const test = randomUUID();
    const heard = new Promise<"heard">((resolve) => {
      this.#onTested = (arrived) => void (arrived === test && resolve("heard"));
    });
    try {
      await pool.query("SELECT pg_notify($1, $2)", [channel, JSON.stringify({ o: origin, t: test })]);
    } catch (error) {
      // Nothing was sent, so nothing is known.
      if (!this.#closed) onError(error);
      return;
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), selfTestMs);
      timer.unref();
    });
    const outcome = await Promise.race([heard, late, lost]);
    clearTimeout(timer);
    if (outcome !== "late" || this.#saidDeaf || this.#closed) return;
    this.#saidDeaf = true;
    onError(new DeafListener());
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
    // Closed while it connects, the driver's promise to connect is never kept.
    const closed = lost.then(() => {
      throw new Error("The connection was lost before it listened");
    });
    closed.catch(() => undefined);
    await Promise.race([client.connect(), closed]);
    await client.query(`LISTEN "${this.#options.channel}"`);
    return { lost: Promise.race([lost, silenceOf(client, lost)]) };
  }

  #receive(payload: string): void {
    const parsed = Message.safeParse(parseJson(payload));
    if (!parsed.success) return;
    if (parsed.data.t !== undefined) this.#onTested(parsed.data.t);
    if (parsed.data.o === this.#options.origin) return;
    const { s = {}, r, c = [], d, f = [] } = parsed.data;
    this.#options.hub.deliver({
      sessions: Object.entries(s).flatMap(([projectId, ids]) => ids.map((sessionId) => ({ projectId, sessionId }))),
      runnable: r === 1,
      cancelled: c,
      deliveries: d === 1,
      configs: f,
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

/**
 * Resolves when the connection no longer answers: a listener sends nothing, so it would never notice that the other end
 * is gone without a goodbye.
 */
async function silenceOf(client: pg.Client, lost: Promise<void>): Promise<void> {
  const over = lost.then(() => "over" as const);
  const within = (ms: number) => {
    let timer: NodeJS.Timeout | undefined;
    const passed = new Promise<"passed">((resolve) => {
      timer = setTimeout(() => resolve("passed"), ms);
      timer.unref();
    });
    return { passed, stop: () => clearTimeout(timer) };
  };
  for (;;) {
    const rest = within(pingEveryMs);
    const rested = await Promise.race([over, rest.passed]);
    rest.stop();
    if (rested === "over") return;
    const limit = within(pingTimeoutMs);
    const answered = client.query("SELECT 1").then(
      () => "answered" as const,
      () => "over" as const,
    );
    const outcome = await Promise.race([over, answered, limit.passed]);
    limit.stop();
    if (outcome === "answered") continue;
    // Not awaited: an end that is gone does not say goodbye.
    if (outcome === "passed") client.end().catch(() => undefined);
    return;
  }
}
