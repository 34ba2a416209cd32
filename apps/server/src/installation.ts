import { hostname } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Clock, NewId } from "@wheelhouse/domain";
import type { GraphContext } from "@wheelhouse/graphql";
import { loadWorkspaceConfig, openRegistry } from "@wheelhouse/registry";
import {
  defaultTunables,
  type GraphHost,
  type Log,
  openSessionTails,
  type RuntimeDeps,
  startWorker,
  type Tunables,
  type Worker,
} from "@wheelhouse/runtime";
import type { ProjectRecord, Storage } from "@wheelhouse/storage";
import { openSignIn, type SignIn } from "./access/sign-in.ts";
import type { Settings } from "./environment.ts";
import { localSecret } from "./secret.ts";

export type Environment = Readonly<Record<string, string | undefined>>;
export type Models = GraphContext["prisma"];

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
  }): Promise<{ storage: Storage; models: Models; dialect: "postgresql" | "sqlite" }>;
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
    clock: Clock;
    newId: NewId;
    log: Log;
    interruptTtlMs: number;
    /** Pause between the words of scripted models; the host's own when absent. */
    scriptedDelayMs?: number;
  }) => GraphHost;
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
  signIn: SignIn;
  /** The project that the first owner gets, and that commands mean when they name none. */
  project: ProjectRecord;
}

/** Everything behind the doors, opened and connected. Whoever opened it disposes of it. */
export interface Installation extends OpenRecords {
  runtime: RuntimeDeps;
  startWorker(): Worker;
}

/** The public address when the operator named none. */
export const localUrl = (settings: Settings): string =>
  settings.PUBLIC_URL ?? `http://${settings.HOST === "0.0.0.0" ? "localhost" : settings.HOST}:${settings.PORT}`;

type RecordOptions = Pick<InstallationOptions, "settings" | "database" | "log" | "clock" | "newId">;

/** Opens the storage and what signing in needs. The schema must be up to date. */
export async function openRecords({ settings, database, log, clock, newId }: RecordOptions): Promise<OpenRecords> {
  const { storage, models, dialect } = await database.open({
    clock,
    newId,
    onError: (err) => log.warn({ err }, "the database had a hiccup"),
  });
  try {
    const slug = settings.WHEELHOUSE_PROJECT;
    const project = await storage.access.ensureProject({ slug, name: nameOf(slug), at: clock.now() });
    const signIn = openSignIn({
      prisma: models,
      provider: dialect,
      secret: settings.WHEELHOUSE_SECRET ?? (await localSecret(resolve(settings.WHEELHOUSE_DATA_DIR))),
      publicUrl: localUrl(settings),
      trustedOrigins: settings.WHEELHOUSE_TRUSTED_ORIGINS,
      newId,
    });
    return { storage, models, signIn, project, [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose]() };
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
      ...options.tunables,
    };
    const { interruptTtlMs } = tunables;
    const { registry, codeAgents, tools } = await openWorkspace(options);
    const graphs = options.openGraphs({ codeAgents, tools, clock, newId, log, interruptTtlMs });
    const tails = openSessionTails({ storage, log, tunables });
    const runtime: RuntimeDeps = { storage, registry, graphs, tails, clock, newId, log, tunables };
    return {
      ...records,
      runtime,
      startWorker: () => startWorker(runtime, { owner: `${hostname()}-${process.pid}-${newId()}` }),
      async [Symbol.asyncDispose]() {
        tails[Symbol.dispose]();
        await graphs[Symbol.asyncDispose]();
        await records[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await records[Symbol.asyncDispose]();
    throw error;
  }
}

const nameOf = (slug: string): string => slug.charAt(0).toUpperCase() + slug.slice(1).replaceAll("-", " ");

async function openWorkspace({ settings, environment, log }: InstallationOptions) {
  const workspaceDir = resolve(settings.WHEELHOUSE_WORKSPACE);
  const { config, file, issues } = await loadWorkspaceConfig(workspaceDir);
  const registry = await openRegistry({
    workspaceDir,
    codeAgents: config.agents,
    ...(file === null ? {} : { codeFile: file }),
    toolNames: config.tools.map((tool) => tool.name),
    env: environment,
  });
  for (const issue of [...issues, ...registry.issues()])
    log.warn({ file: issue.file, line: issue.line }, `the workspace has a mistake: ${issue.message}`);
  return { registry, codeAgents: config.agents, tools: config.tools };
}

/** Where LangGraph keeps its state beside a database file. */
export const graphFileBeside = (databaseFile: string): string =>
  join(dirname(databaseFile), `${databaseFile.split("/").at(-1)?.replace(/\.db$/, "")}-graphs.db`);
