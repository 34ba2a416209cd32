import type { Authority, BusyPolicy, Manifest, NewEvent } from "@wheelhouse/domain";
import { digestOf } from "@wheelhouse/domain/digest";
import { afterAll, beforeAll } from "vitest";
import type { Storage } from "../port.ts";
import type { ClaimedRun, Fence, MessageWrite, ModelCallWrite, NewWork, RecordBatch, StepWrite } from "../records.ts";
import type { ContractWorld } from "./contract-world.ts";

// Plain work to exercise a storage with.

export const manifest: Manifest = {
  agent: "guide",
  source: "CODE",
  revision: null,
  digest: "0".repeat(64),
  definition: null,
  sources: { agent: "wheelhouse.config.ts" },
  limits: { recursionLimit: 100, timeoutSeconds: 600, maxPayloadBytes: 262_144 },
  recordPayloads: true,
};

/** Opens a world with the agent `guide` for the tests of one describe block, and closes it behind them. */
export function useWorld<W extends ContractWorld>(openWorld: () => Promise<W>): () => W {
  let world: W | undefined;
  beforeAll(async () => {
    world = await openWorld();
    await registerGuide(world, world.projectId);
  });
  afterAll(() => world?.[Symbol.asyncDispose]());
  return () => {
    if (world === undefined) throw new Error("The world is open only while its tests run");
    return world;
  };
}

export const registerGuide = (world: ContractWorld, projectId: string, name = "guide") =>
  world.storage.agents.register(projectId, {
    name,
    displayName: "Guide",
    description: null,
    source: "CODE",
    inputSchema: null,
    outputSchema: null,
    graph: null,
    at: world.clock.now(),
  });

export interface WorkOptions {
  session?: NewWork["session"];
  policy?: BusyPolicy;
  content?: string | null;
  idempotencyKey?: string | null;
  fingerprint?: string;
  input?: unknown;
  agentName?: string;
}

export const newSession = (world: ContractWorld) => ({
  id: world.newId(),
  threadId: world.newId(),
  title: null,
  metadata: {},
});

/** Work in a new session, unless the options say otherwise. */
export function workOf(world: ContractWorld, options: WorkOptions = {}): NewWork {
  const { content = "Hello", policy = "REJECT", idempotencyKey = null, agentName = "guide" } = options;
  const taskId = world.newId();
  return {
    session: options.session ?? { by: "new", create: newSession(world) },
    agentName,
    task: {
      id: taskId,
      input: options.input !== undefined ? options.input : { messages: [{ role: "user", content }] },
      idempotencyKey,
      requestFingerprint: options.fingerprint ?? "fingerprint",
      metadata: {},
    },
    run: { id: world.newId(), manifest, manifestDigest: digestOf(manifest), busyPolicy: policy },
    // A turn's message has its task's id.
    message: content === null ? null : { id: taskId, content },
    at: world.clock.now(),
  };
}

/** Submits and insists that it was taken. */
export async function submit(world: ContractWorld, options: WorkOptions = {}, authority?: Authority) {
  const outcome = await world.storage.tasks.submit(authority ?? world.authority(), workOf(world, options));
  if (outcome.outcome !== "submitted") throw new Error(`The work was not submitted: ${outcome.outcome}`);
  return outcome;
}

export const claimInput = (
  world: ContractWorld,
  more: { owner?: string; limit?: number; maxRecoveries?: number; leaseMs?: number; runIds?: string[] } = {},
) => ({
  owner: "worker-1",
  leaseMs: 30_000,
  limit: 100,
  maxRecoveries: 3,
  at: world.clock.now(),
  ...more,
});

/** Makes the leases of all running runs expired, as time would. */
export const expireLeases = async ({ models }: ContractWorld): Promise<void> => {
  await models.run.updateMany({ where: { status: "RUNNING" }, data: { leaseExpiresAt: new Date(0) } });
};

/** Claims until this run is among the claimed ones. */
export async function claimRun(world: ContractWorld, runId: string, storage?: Storage): Promise<ClaimedRun> {
  const claimed = await (storage ?? world.storage).runs.claim(claimInput(world));
  const mine = claimed.find(({ run }) => run.id === runId);
  if (mine === undefined) throw new Error("The run could not be claimed");
  return mine;
}

/** A run in a worker's hands: submitted and claimed. */
export async function startRun(world: ContractWorld, options: WorkOptions = {}, authority?: Authority) {
  const submitted = await submit(world, options, authority);
  return { ...submitted, claimed: await claimRun(world, submitted.run.id) };
}

export const emptyBatch: RecordBatch = { events: [], steps: [], messages: [], modelCalls: [] };

export const batchOf = (part: Partial<RecordBatch>): RecordBatch => ({ ...emptyBatch, ...part });

export const customEvent = (world: ContractWorld, value: unknown = "x"): NewEvent => ({
  type: "custom",
  payload: { value },
  visibility: "END_USER",
  at: world.clock.now(),
});

export const stepOf = (world: ContractWorld, more: Partial<StepWrite> = {}): StepWrite => ({
  id: world.newId(),
  parentStepId: null,
  name: "node",
  kind: "NODE",
  status: "COMPLETED",
  seq: 1,
  attempt: 1,
  startedAt: world.clock.now(),
  finishedAt: world.clock.now(),
  durationMs: 1,
  ...more,
});

export const messageOf = (world: ContractWorld, more: Partial<MessageWrite> = {}): MessageWrite => {
  const id = world.newId();
  return { id, langgraphMessageId: id, role: "ASSISTANT", content: "Hi", createdAt: world.clock.now(), ...more };
};

export const callOf = (world: ContractWorld, more: Partial<ModelCallWrite> = {}): ModelCallWrite => ({
  id: world.newId(),
  stepId: null,
  callType: "LLM",
  provider: "scripted",
  model: "scripted-1",
  status: "OK",
  attempt: 1,
  startedAt: world.clock.now(),
  durationMs: 5,
  timeToFirstTokenMs: 1,
  promptTokens: 10,
  completionTokens: 5,
  totalTokens: 15,
  cachedPromptTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
  ...more,
});

export const succeed = (world: ContractWorld, fence: Fence, batch: RecordBatch = emptyBatch) =>
  world.storage.runs.finish(fence, batch, { status: "SUCCEEDED", output: { ok: true }, at: world.clock.now() });

/** Ends everything that runs or waits in queues, so that a test finds an idle storage. */
export async function endEverything(world: ContractWorld): Promise<void> {
  await world.storage.runs.releaseAll();
  for (;;) {
    const claimed = await world.storage.runs.claim(claimInput(world, { limit: 1000, maxRecoveries: 1000 }));
    if (claimed.length === 0) return;
    for (const { fence } of claimed) await succeed(world, fence);
  }
}

/** Every event of a session, with the eyes of somebody who may see all. */
export async function eventsOf(world: ContractWorld, sessionId: string) {
  const page = await world.storage.events.read(world.authority(), { sessionId, after: 0, limit: 10_000 });
  if (page === null) throw new Error("The session does not exist");
  return page.events;
}

export const typesOf = async (world: ContractWorld, sessionId: string): Promise<string[]> =>
  (await eventsOf(world, sessionId)).map((event) => event.type);

export const rangeTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);
