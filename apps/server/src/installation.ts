import { createRequire } from "node:module";
import { hostname } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { ArtifactLimits, BodyStore, ObjectKeys } from "@wheelhouse/artifacts";
import type { Clock, NewId } from "@wheelhouse/domain";
import type { GraphContext } from "@wheelhouse/graphql";
import { loadWorkspaceConfig, openRegistry } from "@wheelhouse/registry";
import {
  defaultTunables,
  type GraphHost,
  type Log,
  type OutgoingHttp,
  openAgentCache,
  openSecretBox,
  openSessionTails,
  type RuntimeDeps,
  registerSharedAgents,
  startWorker,
  type Tunables,
  type Worker,
  type WorkerOptions,
} from "@wheelhouse/runtime";
import type { ProjectRecord, Storage } from "@wheelhouse/storage";
import { z } from "zod";
import { openSignIn, type SignIn } from "./access/sign-in.ts";
import type { Settings } from "./environment.ts";
import { parseAllowList } from "./outgoing/allowed-addresses.ts";
import { guardedHttp } from "./outgoing/guarded-http.ts";
import { localSecret } from "./secret.ts";
import { watchWorkspace } from "./watch-workspace.ts";

export type Environment = Readonly<Record<string, string | undefined>>;
export type Models = GraphContext["prisma"];
export type RowReader = GraphContext["rows"];

export type SchemaState =
  | { state: "upToDate"; applied: string[] }
  | { state: "behind"; applied: string[]; pending: string[] }
  | { state: "failed"; migration: string; error: string | null }
  | { state: "ahead"; applied: string[]; unknown: string[] };

/** The database that the operator chose. Which one it is, only the composition root knows. */
export interface DatabaseDoor {
  kind: "memory" | "sqlite" | "postgres";
  open(options: {
    clock: Clock;
    newId: NewId;
    onError: (error: unknown) => void;
  }): Promise<{ storage: Storage; models: Models; rows: RowReader; dialect: "postgresql" | "sqlite" }>;
  schemaState(): Promise<SchemaState>;
  migrate(): Promise<string[]>;
}

export interface InstallationOptions {
  settings: Settings;
  database: DatabaseDoor;
  /** Builds the executor of graphs from what the workspace brings. */
  openGraphs: (options: {
    codeAgents: Readonly<Record<string, { graph: unknown }>>;
    tools: readonly { name: string }[];
    outgoing: OutgoingHttp;
    clock: Clock;
    newId: NewId;
    log: Log;
    interruptTtlMs: number;
    /** Pause between the words of scripted models; the host's own when absent. */
    scriptedDelayMs?: number;
  }) => GraphHost;
  /** Opens the store of bodies that the operator chose. */
  openBodies: (storage: Storage) => Promise<{ bodies: BodyStore; objectKeys: ObjectKeys }>;
  /** For `${VAR}` in workspace files, and nothing else. */
  environment: Environment;
  log: Log;
  clock: Clock;
  newId: NewId;
  tunables?: Partial<Tunables>;
}

/** The records and who may see them: what commands need. */
export interface OpenRecords extends AsyncDisposable {
  storage: Storage;
  models: Models;
  rows: RowReader;
  signIn: SignIn;
  /** The installation's secret: it signs cookies and encrypts what is secret in the database. */
  secret: string;
  /** The project that the first owner gets, and that commands mean when they name none. */
  project: ProjectRecord;
}

/** Everything behind the doors, opened and connected. Whoever opened it disposes of it. */
export interface Installation extends OpenRecords {
  runtime: RuntimeDeps;
  /** Begins to execute runs; `role` is what others see of this process. */
  startWorker(role: string): Worker;
  /** Begins to read the workspace's definitions again whenever they change. */
  watchWorkspace(): Disposable;
}

/** The public address when the operator named none. */
export const localUrl = (settings: Settings): string =>
  settings.PUBLIC_URL ?? `http://${settings.HOST === "0.0.0.0" ? "localhost" : settings.HOST}:${settings.PORT}`;

type RecordOptions = Pick<InstallationOptions, "settings" | "database" | "log" | "clock" | "newId">;

/** Opens the storage and what signing in needs. The schema must be up to date. */
export async function openRecords({ settings, database, log, clock, newId }: RecordOptions): Promise<OpenRecords> {
  const { storage, models, rows, dialect } = await database.open({
    clock,
    newId,
    onError: (err) => log.warn({ err }, "the database had a hiccup"),
  });
  try {
    const slug = settings.WHEELHOUSE_PROJECT;
    const project = await storage.access.ensureProject({ slug, name: nameOf(slug), at: clock.now() });
    const secret = settings.WHEELHOUSE_SECRET ?? (await localSecret(resolve(settings.WHEELHOUSE_DATA_DIR)));
    const signIn = openSignIn({
      prisma: models,
      provider: dialect,
      secret,
      publicUrl: localUrl(settings),
      trustedOrigins: settings.WHEELHOUSE_TRUSTED_ORIGINS,
      newId,
    });
    const dispose = () => storage[Symbol.asyncDispose]();
    return { storage, models, rows, signIn, secret, project, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await storage[Symbol.asyncDispose]();
    throw error;
  }
}

/** Opens records, workspace, graphs and readers. The schema must be up to date. */
export async function openInstallation(options: InstallationOptions): Promise<Installation> {
  const { settings, log, clock, newId } = options;
  const records = await openRecords(options);
  try {
    const { storage } = records;
    const tunables: Tunables = {
      ...defaultTunables,
      concurrency: settings.WHEELHOUSE_CONCURRENCY,
      drainMs: settings.WHEELHOUSE_DRAIN_SECONDS * 1000,
      maxRecoveries: settings.WHEELHOUSE_MAX_RECOVERIES,
      queueTimeoutMs: settings.WHEELHOUSE_QUEUE_TIMEOUT_SECONDS * 1000,
      ...leaseOf(settings),
      ...options.tunables,
    };
    const { interruptTtlMs } = tunables;
    const { workspaceDir, registry, codeAgents, tools } = await openWorkspace(options);
    const outgoing = guardedHttp({ allow: parseAllowList(settings.WHEELHOUSE_OUTGOING_ALLOW) });
    const graphs = options.openGraphs({ codeAgents, tools, outgoing, clock, newId, log, interruptTtlMs });
    const tails = openSessionTails({ storage, log, tunables });
    const { bodies, objectKeys } = await options.openBodies(storage);
    const artifactLimits = artifactLimitsOf(settings);
    const secrets = openSecretBox({ current: records.secret, previous: settings.WHEELHOUSE_SECRET_PREVIOUS });
    const agents = openAgentCache({ storage, registry, clock, checkMs: tunables.configCheckMs });
    const runtime: RuntimeDeps = {
      ...{ storage, registry, agents, graphs, tails, outgoing, secrets },
      ...{ clock, newId, log, tunables, scopeKeys: settings.WHEELHOUSE_SCOPE_KEYS },
      ...{ bodies, objectKeys, artifactLimits },
    };
    return {
      ...records,
      runtime,
      startWorker: (role) => startWorker(runtime, workerOptions(role, newId)),
      watchWorkspace: () =>
        watchWorkspace({
          ...{ workspaceDir, registry, log },
          onRead: () => registerSharedAgents(runtime, records.project.id),
        }),
      async [Symbol.asyncDispose]() {
        tails[Symbol.dispose]();
        agents[Symbol.dispose]();
        await graphs[Symbol.asyncDispose]();
        await bodies[Symbol.asyncDispose]();
        await records[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await records[Symbol.asyncDispose]();
    throw error;
  }
}

const { version } = z.object({ version: z.string() }).parse(createRequire(import.meta.url)("../package.json"));

const workerOptions = (role: string, newId: NewId): WorkerOptions => ({
  owner: `${hostname()}-${process.pid}-${newId()}`,
  ...{ role, host: hostname(), version },
});

/** Three beats per lease. */
const leaseOf = ({ WHEELHOUSE_LEASE_SECONDS: seconds }: Settings): Pick<Tunables, "leaseMs" | "beatMs"> => ({
  leaseMs: seconds * 1000,
  beatMs: (seconds * 1000) / 3,
});

/** Longest body of an artifact: what S3 copies in one request. */
const maxArtifactBytes = 5 * 1024 ** 3;
/** Bodies that lie in their manifest's row where the database keeps them. */
const inlineBytes = 262_144;

const artifactLimitsOf = ({ WHEELHOUSE_ARTIFACT_QUOTA_MB: megabytes }: Settings): ArtifactLimits => ({
  inlineBytes,
  maxBytes: maxArtifactBytes,
  quotaBytes: megabytes === undefined ? null : Math.floor(megabytes * 1024 ** 2),
});

const nameOf = (slug: string): string => slug.charAt(0).toUpperCase() + slug.slice(1).replaceAll("-", " ");

async function openWorkspace({ settings, environment, log }: InstallationOptions) {
  const workspaceDir = resolve(settings.WHEELHOUSE_WORKSPACE);
  const { config, files, issues } = await loadWorkspaceConfig(workspaceDir);
  const registry = await openRegistry({
    workspaceDir,
    codeAgents: config.agents,
    codeFiles: files,
    toolNames: config.tools.map((tool) => tool.name),
    env: environment,
  });
  for (const issue of [...issues, ...registry.issues()])
    log.warn({ file: issue.file, line: issue.line }, `the workspace has a mistake: ${issue.message}`);
  return { workspaceDir, registry, codeAgents: config.agents, tools: config.tools };
}

/** Where LangGraph keeps its state beside a database file. */
export const graphFileBeside = (databaseFile: string): string =>
  join(dirname(databaseFile), `${databaseFile.split("/").at(-1)?.replace(/\.db$/, "")}-graphs.db`);
