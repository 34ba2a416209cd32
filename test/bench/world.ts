import type { Authority, Clock } from "@wheelhouse/domain";
import { eventVisibilities } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import type { Log } from "@wheelhouse/runtime";
import type { ClaimedRun } from "@wheelhouse/storage";
import { applyMigrations, type OpenStorage, openStorage } from "@wheelhouse/storage/prisma";
import { v7 as newId } from "uuid";

export const clock: Clock = { now: () => new Date() };
export { newId };

/** For parts that would otherwise tell what goes right. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields, message) => console.error(message, fields),
  error: (fields, message) => console.error(message, fields),
};

/** One project in a storage that is ready for use. */
export interface World extends OpenStorage {
  projectId: string;
  /** Reaches the whole project and sees every event. */
  authority: Authority;
}

/** Migrates and opens the database behind `url`, and makes a project in it. */
export async function openWorld(url: string): Promise<World> {
  if (url !== "memory:") await applyMigrations({ url });
  const opened = await openStorage({ url, clock, newId, onError: (error) => console.error(error) });
  const { id: projectId } = await opened.storage.access.ensureProject({
    slug: "bench",
    name: "Bench",
    at: clock.now(),
  });
  const scope = { project: "bench" };
  return {
    ...opened,
    projectId,
    authority: {
      projectId,
      reach: "PROJECT",
      scope,
      scopeKey: scopeKeyOf(scope),
      role: "OWNER",
      visibilities: eventVisibilities,
      actor: { kind: "SYSTEM", id: "bench", name: "bench" },
    },
  };
}

/** Makes the project's row of an agent that nothing ever executes. */
export async function registerIdleAgent({ storage, projectId }: World, name = "idle"): Promise<void> {
  await storage.agents.register(projectId, {
    name,
    displayName: name,
    description: null,
    source: "CODE",
    inputSchema: null,
    outputSchema: null,
    graph: null,
    at: clock.now(),
  });
}

/** Submits `count` runs in sessions of their own and takes them all, as a worker would. */
export async function claimRuns(world: World, count: number): Promise<ClaimedRun[]> {
  const { storage, authority } = world;
  await registerIdleAgent(world);
  for (let made = 0; made < count; made += 50) {
    await Promise.all(Array.from({ length: Math.min(50, count - made) }, () => submit(world)));
  }
  const claimed: ClaimedRun[] = [];
  while (claimed.length < count) {
    const some = await storage.runs.claim({
      owner: `bench:${authority.projectId}`,
      leaseMs: 3_600_000,
      limit: count - claimed.length,
      maxRecoveries: 3,
      at: clock.now(),
    });
    if (some.length === 0) throw new Error(`Only ${claimed.length} of ${count} runs could be claimed`);
    claimed.push(...some);
  }
  return claimed;
}

async function submit({ storage, authority }: World): Promise<void> {
  const outcome = await storage.tasks.submit(authority, {
    session: { by: "new", create: { id: newId(), threadId: newId(), title: null, metadata: {} } },
    agentName: "idle",
    task: { id: newId(), input: {}, idempotencyKey: null, requestFingerprint: "bench", metadata: {} },
    run: {
      id: newId(),
      manifest: {
        agent: "idle",
        source: "CODE",
        revision: null,
        digest: "0".repeat(64),
        definition: null,
        sources: {},
        limits: { recursionLimit: 25, timeoutSeconds: 3600, maxPayloadBytes: 32_768 },
        recordPayloads: true,
      },
      manifestDigest: "0".repeat(64),
      busyPolicy: "REJECT",
    },
    message: null,
    at: clock.now(),
  });
  if (outcome.outcome !== "submitted") throw new Error(`A run was not submitted: ${outcome.outcome}`);
}
