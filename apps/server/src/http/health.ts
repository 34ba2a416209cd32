import { type BodyStore, BodyStoreError } from "@wheelhouse/artifacts";
import type { Worker } from "@wheelhouse/runtime";
import type { Storage } from "@wheelhouse/storage";
import type { SchemaState } from "../installation.ts";
import type { Role } from "../role.ts";

/** Whether this process can do its work, and what is missing. */
export interface Health {
  ready: boolean;
  checks: Record<string, { ok: boolean; message?: string }>;
}

/** What health is judged by. */
export interface HealthState {
  role: Role;
  /** What is wrong with the schema; null when nothing is. */
  schema: string | null;
  storage: { storage: Pick<Storage, "ping" | "workers">; leaseMs: number } | null;
  bodies: Pick<BodyStore, "kind" | "check"> | null;
  worker: Worker | null;
  stopping: boolean;
  /** When parts were first seen stuck while the database answers; monotonic, milliseconds. */
  suspectedAt: number | null;
}

/** Whether the process can do its work now. */
export async function readinessOf({ role, schema, storage, bodies, worker, stopping }: HealthState): Promise<Health> {
  const checks: Health["checks"] = {
    schema: schema === null ? { ok: true } : { ok: false, message: schema },
    database: storage === null ? { ok: false, message: "not open yet" } : await pingDatabase(storage.storage),
  };
  if (bodies !== null) checks.artifacts = await checkBodies(bodies);
  if (stopping) checks.process = { ok: false, message: "stopping" };
  if (role !== "api") checks.worker = worker === null ? { ok: false, message: "not started yet" } : { ok: true };
  // Work is taken and kept without any worker, so their absence is told and makes no API unready.
  if (storage !== null && checks.database?.ok) checks.workers = await liveWorkers(storage);
  return { ready: Object.values(checks).every((check) => check.ok), checks };
}

/** Whether the store of bodies can be used. Its own short name for what is wrong says nothing secret. */
async function checkBodies(bodies: Pick<BodyStore, "kind" | "check">): Promise<{ ok: boolean; message?: string }> {
  try {
    await inTime(bodies.check());
    return { ok: true, message: bodies.kind };
  } catch (error) {
    const reason = error instanceof BodyStoreError && error.reason !== null ? ` (${error.reason})` : "";
    return { ok: false, message: `the artifact store ${bodies.kind} cannot be used${reason}` };
  }
}

async function liveWorkers({ storage, leaseMs }: NonNullable<HealthState["storage"]>) {
  try {
    const live = await storage.workers.live(leaseMs);
    const running = live.reduce((sum, worker) => sum + worker.running, 0);
    return { ok: true, message: `${live.length} live, ${running} runs in their hands` };
  } catch {
    return { ok: true, message: "not known" };
  }
}

/** Leases without any progress after which a part is stuck. */
const stuckAfterLeases = 3;

/**
 * Whether the process gets on; a reason to start it anew when it does not. A database that is away is none, as everything
 * goes on when it is back, for which it has another lease's time. (A blocked event loop answers nobody, which is an
 * answer too.)
 */
export async function livenessOf(state: HealthState): Promise<{ stuck: string[] }> {
  const { storage, worker, stopping } = state;
  if (storage === null || worker === null || stopping) return { stuck: [] };
  const now = performance.now();
  const limit = now - stuckAfterLeases * storage.leaseMs;
  const { beat, dispatch } = worker.progress;
  const stuck = [...(beat < limit ? ["leases"] : []), ...(dispatch < limit ? ["dispatch"] : [])];
  const suspected = stuck.length > 0 && (await pingDatabase(storage.storage)).ok;
  state.suspectedAt = suspected ? (state.suspectedAt ?? now) : null;
  return { stuck: state.suspectedAt !== null && now - state.suspectedAt >= storage.leaseMs ? stuck : [] };
}

/** What is wrong with a schema, with the command that helps; null when nothing is. */
export function schemaProblem(state: SchemaState): string | null {
  switch (state.state) {
    case "upToDate":
      return null;
    case "behind":
      return `${state.pending.length} migrations are pending; run: npx wheelhouse migrate deploy`;
    case "failed":
      return `the migration ${state.migration} failed; see: npx wheelhouse migrate status`;
    case "ahead":
      return `the database was migrated by a newer version (${state.unknown.join(", ")}); run that version`;
  }
}

/** Longest that a health check waits for the database or the store of bodies, milliseconds. */
const pingTimeoutMs = 2_000;

/** Asks the database whether it is there. */
async function pingDatabase(storage: Pick<Storage, "ping">): Promise<{ ok: boolean; message?: string }> {
  try {
    await inTime(storage.ping());
    return { ok: true };
  } catch {
    // Why it is away stands in the log; health answers are public.
    return { ok: false, message: "the database does not answer" };
  }
}

/** What a check says, unless it takes too long. */
async function inTime(check: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("late")), pingTimeoutMs);
  });
  try {
    await Promise.race([check, late]);
  } finally {
    clearTimeout(timer);
  }
}
