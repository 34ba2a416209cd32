import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Authority,
  eventVisibilities,
  type FoldedMessage,
  foldMessage,
  messagesOf,
  type StoredEvent,
  type Transcript,
} from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import { type CodeAgent, openRegistry } from "@wheelhouse/registry";
import {
  defaultTunables,
  type EventsFrame,
  openAgentCache,
  openSecretBox,
  openSessionTails,
  type RuntimeDeps,
  readEvents,
  registerSharedAgents,
  startWorker,
  type Tunables,
  type Worker,
  watchEvents,
} from "@wheelhouse/runtime";
import { createGraphHost, type GraphHostOptions, type PersistenceConfig } from "@wheelhouse/runtime/graph";
import { applyMigrations, openStorage } from "@wheelhouse/storage/prisma";
import pg from "pg";
import { v7 } from "uuid";
import { expect } from "vitest";
import { parseAllowList } from "../../apps/server/src/outgoing/allowed-addresses.ts";
import { guardedHttp } from "../../apps/server/src/outgoing/guarded-http.ts";
import { callsAsAsked } from "../graphs/call-as-asked.ts";
import { databaseBodies } from "../worlds/database-bodies.ts";
import { type Gates, openGates, testAgents } from "./flow-graphs.ts";

export type StorageKind = "memory" | "sqlite" | "postgres";

/** Every topology; PostgreSQL where the environment names a server. */
export const storageKinds: readonly StorageKind[] = process.env.TEST_POSTGRES_URL
  ? ["memory", "sqlite", "postgres"]
  : ["memory", "sqlite"];

export interface LoggedError {
  level: "warn" | "error";
  fields: object;
  message: string;
}

/** The whole runtime over a database of its own. */
export interface FlowWorld extends AsyncDisposable {
  deps: RuntimeDeps;
  authority: Authority;
  /** Opens and closes what the graphs of the tests wait for. */
  gates: Gates;
  /** Texts of the statements that did not go through the models; a test may empty it. */
  statements: string[];
  /** What was logged as a warning or an error. */
  logged: LoggedError[];
  /** Moves the clock of the product, not of its timers or its database. */
  advance(ms: number): void;
  /** Makes the leases of all running runs expired, as time would. */
  expireLeases(): Promise<void>;
  /** For another graph host over the same state. */
  graphOptions: GraphHostOptions;
  /** Starts a worker; it is stopped with the world. */
  work(deps?: RuntimeDeps): Worker;
  /** Another caller: a role, or a scope of its own. */
  as(change: Partial<Authority>): Authority;
  /** Rows as they are in the database. */
  rows: Awaited<ReturnType<typeof openStorage>>["models"];
}

export interface FlowWorldExtras {
  /** Made with the world's gates. */
  moreAgents?: (gates: Gates) => Record<string, CodeAgent>;
  /** Lays something between the runtime and its storage. */
  around?: (storage: RuntimeDeps["storage"]) => RuntimeDeps["storage"];
}

export async function openFlowWorld(
  kind: StorageKind,
  tunables: Partial<Tunables> = {},
  { moreAgents = () => ({}), around = (storage) => storage }: FlowWorldExtras = {},
): Promise<FlowWorld> {
  const place = await openPlace(kind);
  const logged: LoggedError[] = [];
  const keep = (level: LoggedError["level"]) => (fields: object, message: string) => {
    logged.push({ level, fields, message });
  };
  const log = { debug() {}, info() {}, warn: keep("warn"), error: keep("error") };
  let offset = 0;
  const clock = { now: () => new Date(Date.now() + offset) };
  const statements: string[] = [];
  const opened = await openStorage({
    url: place.url,
    clock,
    newId: v7,
    onError: (err) => log.error({ err }, "storage"),
    onStatement: (sql) => statements.push(sql),
  });
  const { models } = opened;
  const storage = around(opened.storage);
  const gates = openGates();
  const { codeAgents: standing, tools, workspaceDir } = await testAgents(gates);
  const codeAgents = { ...standing, ...moreAgents(gates) };
  const registry = await openRegistry({ workspaceDir, codeAgents, toolNames: tools.map(({ name }) => name), env: {} });
  expect(registry.issues()).toEqual([]);
  const limits = { scriptedDelayMs: 0, abortGraceMs: 200 };
  const { persistence } = place;
  // Receivers of the tests are on this machine.
  const outgoing = guardedHttp({ allow: parseAllowList(["127.0.0.1"]) });
  const scripts = { calls: callsAsAsked };
  const graphOptions = { persistence, scripts, codeAgents, tools, env: {}, outgoing, clock, newId: v7, log, limits };
  const graphs = createGraphHost(graphOptions);
  const allTunables = { ...defaultTunables, claimPollMs: 100, tailPollMs: 200, ...tunables };
  const tails = openSessionTails({ storage, log, tunables: allTunables });
  const secrets = openSecretBox({ current: "a secret that only tests know, long enough", previous: [] });
  const agents = openAgentCache({ storage, registry, clock, checkMs: allTunables.configCheckMs });
  const bodies = databaseBodies(storage, clock);
  const deps: RuntimeDeps = {
    ...{ storage, registry, agents, graphs, tails, outgoing, secrets },
    ...bodies,
    ...{ clock, newId: v7, log, tunables: allTunables, scopeKeys: ["project", "team", "user"] },
  };
  const project = await storage.access.ensureProject({ slug: "flow", name: "Flow", at: clock.now() });
  const scope = { project: "flow" };
  const authority: Authority = {
    ...{ projectId: project.id, reach: "PROJECT", scope, scopeKey: scopeKeyOf(scope), role: "OPERATOR" },
    ...{ visibilities: eventVisibilities, actor: { kind: "USER", id: "u-1", name: "Ada" } },
  };
  await registerSharedAgents(deps, project.id);
  const workers: Worker[] = [];
  return {
    ...{ deps, authority, gates, logged, graphOptions, statements, rows: models },
    advance(ms) {
      offset += ms;
    },
    async expireLeases() {
      await models.run.updateMany({ where: { status: "RUNNING" }, data: { leaseExpiresAt: new Date(0) } });
    },
    work(workerDeps = deps) {
      const worker = startWorker(workerDeps, { owner: `worker-${workers.length + 1}` });
      workers.push(worker);
      return worker;
    },
    as: (change) => ({ ...authority, ...change, ...(change.scope && { scopeKey: scopeKeyOf(change.scope) }) }),
    async [Symbol.asyncDispose]() {
      gates.openAll();
      await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
      // Whoever watched has left: a reader that stays is a leak.
      expect(tails.size).toBe(0);
      tails[Symbol.dispose]();
      agents[Symbol.dispose]();
      await graphs[Symbol.asyncDispose]();
      await storage[Symbol.asyncDispose]();
      await rm(workspaceDir, { recursive: true });
      await place.remove();
    },
  };
}

interface Place {
  url: string;
  persistence: PersistenceConfig;
  remove: () => Promise<void>;
}

async function openPlace(kind: StorageKind): Promise<Place> {
  if (kind === "memory") return { url: "memory:", persistence: { kind: "memory" }, remove: async () => undefined };
  const place = kind === "sqlite" ? await openFolder() : await openDatabase(process.env.TEST_POSTGRES_URL ?? "");
  await applyMigrations({ url: place.url });
  return place;
}

async function openFolder(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "wheelhouse-flow-"));
  return {
    url: `file:${join(folder, "wheelhouse.db")}`,
    persistence: { kind: "sqlite", file: join(folder, "wheelhouse-graphs.db") },
    remove: () => rm(folder, { recursive: true }),
  };
}

async function openDatabase(serverUrl: string): Promise<Place> {
  const name = `wh_flow_${v7().replaceAll("-", "")}`;
  const admin = async (sql: string) => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  await admin(`CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    persistence: { kind: "postgres", url: url.href, schema: "langgraph" },
    remove: () => admin(`DROP DATABASE ${name} WITH (FORCE)`),
  };
}

/** Follows a run to its terminal frame. */
export async function runToEnd(world: FlowWorld, runId: string, authority = world.authority): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  let last: EventsFrame | null = null;
  for await (const frame of await watchEvents(world.deps, authority, { runId })) {
    events.push(...frame.events);
    last = frame;
  }
  expect(last?.terminal).toBe(true);
  return events;
}

/** Follows a session until an event fits. */
export async function untilEvent(
  world: FlowWorld,
  sessionId: string,
  fits: (event: StoredEvent) => boolean,
): Promise<StoredEvent> {
  for await (const frame of await watchEvents(world.deps, world.authority, { sessionId })) {
    const found = frame.events.find(fits);
    if (found !== undefined) return found;
  }
  throw new Error("the session's stream ended");
}

export async function logOf(world: FlowWorld, sessionId: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  let after: string | null = null;
  for (;;) {
    const page: EventsFrame = await readEvents(world.deps, world.authority, { sessionId, after, first: 500 });
    events.push(...page.events);
    after = page.endCursor;
    if (page.caughtUp) return events;
  }
}

/** The transcript that the log tells. */
export const transcriptOf = (events: readonly StoredEvent[]): FoldedMessage[] =>
  messagesOf(events.reduce<Transcript>((transcript, event) => foldMessage(transcript, event), new Map()));

/**
 * What must hold for every session at rest: sequences without a gap, one end for every run that ended, nothing left open,
 * and a log that tells the same transcript as the table. With `overlapping` turns the order of the two may differ: the
 * log orders answers by their first word, the table by their last, and users spoke in between.
 */
export async function expectSound(world: FlowWorld, sessionId: string, overlapping = false): Promise<void> {
  const events = await logOf(world, sessionId);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1));
  const session = await world.rows.session.findUniqueOrThrow({ where: { id: sessionId } });
  expect(session.lastSequence).toBe(events.length);
  const runs = await world.rows.run.findMany({ where: { sessionId } });
  for (const run of runs) {
    const ends = events.filter(
      ({ runId, type }) => runId === run.id && /^run\.(succeeded|failed|cancelled|interrupted)$/.test(type),
    );
    expect(ends).toHaveLength(run.status === "QUEUED" || run.status === "RUNNING" ? 0 : 1);
    // A run's end is its last word; only answers to what it asked come later.
    const words = events.filter(({ runId, type }) => runId === run.id && !type.startsWith("interrupt."));
    if (ends[0]) expect(words.at(-1)?.id).toBe(ends[0].id);
  }
  const rows = await world.rows.message.findMany({ where: { sessionId }, orderBy: { seq: "asc" } });
  expect(new Set(rows.map(({ langgraphMessageId }) => langgraphMessageId)).size).toBe(rows.length);
  const told = transcriptOf(events).map(({ messageId, role, text }) => ({ id: messageId, role, content: text }));
  const kept = rows.filter(({ role }) => role !== "TOOL").map(({ id, role, content }) => ({ id, role, content }));
  const inOrder = <M extends { id: string }>(list: M[]): M[] =>
    overlapping ? list.sort((a, b) => (a.id < b.id ? -1 : 1)) : list;
  expect(inOrder(kept)).toEqual(inOrder(told));
  if (runs.every(({ status }) => status !== "QUEUED" && status !== "RUNNING")) {
    const open = await world.rows.step.findMany({ where: { sessionId, status: "RUNNING" } });
    expect(open.map(({ name }) => name)).toEqual([]);
    expect(transcriptOf(events).filter(({ state }) => state === "streaming")).toEqual([]);
  }
}
