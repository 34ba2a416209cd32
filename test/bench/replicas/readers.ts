import { eventCursor } from "@wheelhouse/domain";
import { defaultTunables, openSessionTails, watchEvents } from "@wheelhouse/runtime";
import pg from "pg";
import { openWorld, silentLog } from "../world.ts";
import type { Way } from "./writer.ts";

/** Follows every session in this process; `arrivals` knows when each event came, nanoseconds, by `<session>:<sequence>`. */
export interface Readers extends AsyncDisposable {
  arrivals: Map<string, bigint>;
}

const keyOf = (session: number, sequence: number): string => `${session}:${sequence}`;

export function openReaders(way: Way, url: string, sessionIds: readonly string[]): Promise<Readers> {
  switch (way) {
    case "product":
      return openProduct(url, sessionIds);
    case "NOTIFY per event":
      return openListener(url);
    case "50 ms polling":
      return openPoller(url);
  }
}

/** The server's own readers, one viewer per session, with a storage of their own. */
async function openProduct(url: string, sessionIds: readonly string[]): Promise<Readers> {
  const { storage, authority } = await openWorld(url);
  const tunables = defaultTunables;
  const tails = openSessionTails({ storage, log: silentLog, tunables });
  const arrivals = new Map<string, bigint>();
  const deps = { storage, tails, tunables };
  const streams = await Promise.all(
    sessionIds.map((sessionId) => watchEvents(deps, authority, { sessionId, after: eventCursor(sessionId, 0) })),
  );
  const reading = streams.map(async (stream, session) => {
    for await (const { events } of stream) {
      const at = process.hrtime.bigint();
      for (const { sequence } of events) arrivals.set(keyOf(session, sequence), at);
    }
  });
  return {
    arrivals,
    async [Symbol.asyncDispose]() {
      await Promise.all(streams.map((stream) => stream[Symbol.asyncDispose]()));
      await Promise.all(reading);
      tails[Symbol.dispose]();
      await storage[Symbol.asyncDispose]();
    },
  };
}

interface PlainRow {
  id: string;
  session: number;
  sequence: number;
}

/** Reads the row of every notification. */
async function openListener(url: string): Promise<Readers> {
  const arrivals = new Map<string, bigint>();
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  const listener = new pg.Client({ connectionString: url });
  await listener.connect();
  const reading = new Set<Promise<void>>();
  listener.on("notification", ({ payload }) => {
    const done = pool
      .query<PlainRow>({
        name: "read",
        text: "SELECT session, sequence, payload FROM plain_events WHERE id = $1",
        values: [payload],
      })
      .then(({ rows: [row] }) => {
        if (row !== undefined) arrivals.set(keyOf(row.session, row.sequence), process.hrtime.bigint());
        reading.delete(done);
      });
    reading.add(done);
  });
  await listener.query("LISTEN plain_events");
  return {
    arrivals,
    async [Symbol.asyncDispose]() {
      await listener.end();
      await Promise.all(reading);
      await pool.end();
    },
  };
}

/** Reads what is new every 50 ms, behind the last id. (Ids are not in the order of commits: it may miss an event.) */
async function openPoller(url: string): Promise<Readers> {
  const arrivals = new Map<string, bigint>();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let last = "0";
  let polling = Promise.resolve();
  const timer = setInterval(() => {
    polling = polling.then(async () => {
      const { rows } = await client.query<PlainRow>({
        name: "poll",
        text: "SELECT id, session, sequence, payload FROM plain_events WHERE id > $1 ORDER BY id",
        values: [last],
      });
      const at = process.hrtime.bigint();
      for (const row of rows) arrivals.set(keyOf(row.session, row.sequence), at);
      last = rows.at(-1)?.id ?? last;
    });
  }, 50);
  return {
    arrivals,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await polling;
      await client.end();
    },
  };
}
