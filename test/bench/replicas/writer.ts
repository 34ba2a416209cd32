import pg from "pg";
import { phrase, phraseEvent } from "../append/rows.ts";
import { serveTasks } from "../child.ts";
import { claimRuns, clock, openWorld } from "../world.ts";

/** How events come to readers of another replica. */
export type Way = "product" | "NOTIFY per event" | "50 ms polling";

/** An event's place and when its commit was acknowledged, nanoseconds of the machine's monotonic clock. */
export interface Acknowledged {
  session: number;
  sequence: number;
  at: bigint;
}

export type WriterTasks = {
  open(input: { url: string; way: Way; sessions: number }): Promise<{ sessionIds: string[] }>;
  write(input: { perSecond: number; ms: number }): Promise<Acknowledged[]>;
};

/** Commits an event of a session, and answers its sequence. */
type Append = (session: number) => Promise<number>;

interface Opened {
  sessionIds: string[];
  append: Append;
}

async function openProduct(url: string, sessions: number): Promise<Opened> {
  const world = await openWorld(url);
  const claimed = await claimRuns(world, sessions);
  let index = 0;
  return {
    sessionIds: claimed.map(({ run }) => run.sessionId),
    async append(session) {
      const fence = claimed[session]?.fence;
      if (fence === undefined) throw new Error(`There is no session ${session}`);
      index += 1;
      const events = [phraseEvent(index, clock.now())];
      const done = await world.storage.runs.record(fence, { events, steps: [], messages: [], modelCalls: [] });
      if (done.outcome !== "recorded") throw new Error("An append was fenced");
      return done.lastSequence;
    },
  };
}

/** The table of the baselines: an insert per event, and with `notify` a notification in its transaction. */
async function openPlain(url: string, sessions: number, notify: boolean): Promise<Opened> {
  const pool = new pg.Pool({ connectionString: url, max: 16 });
  await pool.query(
    "CREATE TABLE plain_events (id bigserial PRIMARY KEY, session int NOT NULL, sequence int NOT NULL, payload jsonb NOT NULL)",
  );
  const insert = "INSERT INTO plain_events (session, sequence, payload) VALUES ($1, $2, $3)";
  const text = notify
    ? `WITH inserted AS (${insert} RETURNING id) SELECT pg_notify('plain_events', id::text) FROM inserted`
    : insert;
  const last = Array.from({ length: sessions }, () => 0);
  return {
    sessionIds: last.map(String),
    async append(session) {
      const sequence = (last[session] ?? 0) + 1;
      last[session] = sequence;
      await pool.query({ name: "append", text, values: [session, sequence, JSON.stringify(phrase(sequence))] });
      return sequence;
    },
  };
}

/** More than this in flight means that the way cannot keep up: then it writes as fast as it can. */
const maxInFlight = 2_000;
const tickMs = 5;

async function write({ append, sessionIds }: Opened, perSecond: number, ms: number): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  const inFlight = new Set<Promise<void>>();
  const startedAt = performance.now();
  let begun = 0;
  while (performance.now() - startedAt < ms) {
    const due = ((performance.now() - startedAt) / 1000) * perSecond;
    for (; begun < due && inFlight.size < maxInFlight; begun++) {
      const session = begun % sessionIds.length;
      const done = append(session).then((sequence) => {
        acknowledged.push({ session, sequence, at: process.hrtime.bigint() });
        inFlight.delete(done);
      });
      inFlight.add(done);
    }
    await new Promise((resolve) => setTimeout(resolve, tickMs));
  }
  await Promise.all(inFlight);
  return acknowledged;
}

let opened: Opened | null = null;

const tasks: WriterTasks = {
  async open({ url, way, sessions }) {
    opened =
      way === "product" ? await openProduct(url, sessions) : await openPlain(url, sessions, way !== "50 ms polling");
    return { sessionIds: opened.sessionIds };
  },
  async write({ perSecond, ms }) {
    if (opened === null) throw new Error("Nothing is open");
    return await write(opened, perSecond, ms);
  },
};
serveTasks(tasks);
