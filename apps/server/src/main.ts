// The composition root: the only file that reads the environment and chooses adapters.
import { join, resolve } from "node:path";
import { BodyStoreError, type BodyStoreKind, objectKeys } from "@wheelhouse/artifacts";
import type { S3Options } from "@wheelhouse/artifacts/s3";
import { openDatabaseStore, openDirectoryStore } from "@wheelhouse/artifacts/stores";
import { createGraphHost } from "@wheelhouse/runtime/graph";
import type { Storage } from "@wheelhouse/storage";
import {
  applyMigrations,
  openStorage,
  PoolerError,
  parseDatabaseUrl,
  queueState,
  SchemaError,
  schemaState,
} from "@wheelhouse/storage/prisma";
import { Command, CommanderError } from "commander";
import type { Logger } from "pino";
import { v7 as newId } from "uuid";
import { addAdmin } from "./commands/admin-command.ts";
import { addArtifacts } from "./commands/artifacts-command.ts";
import { type CommandContext, CommandError, type OpenBodies } from "./commands/command-context.ts";
import { addConfig } from "./commands/config-command.ts";
import { addDemo } from "./commands/demo-command.ts";
import { addKeys } from "./commands/keys-command.ts";
import { addMessages } from "./commands/messages-command.ts";
import { addMigrate } from "./commands/migrate-command.ts";
import { addServe } from "./commands/serve-command.ts";
import { EnvironmentError, parseEnvironment, type Settings } from "./environment.ts";
import { schemaProblem } from "./http/health.ts";
import {
  type DatabaseDoor,
  graphFileBeside,
  type Installation,
  type InstallationOptions,
  type OpenRecords,
  openInstallation,
  openRecords,
} from "./installation.ts";
import { openLog } from "./log.ts";
import { localObjectKeySecret } from "./secret.ts";

const clock = { now: () => new Date() };

/** The database of the settings, with everything that depends on its kind. */
function databaseOf(settings: Settings): DatabaseDoor {
  const { DATABASE_URL: url, DATABASE_SCHEMA: schema } = settings;
  const target = { url, ...(schema === undefined ? {} : { schema }) };
  return {
    kind: parseDatabaseUrl(url, schema).kind,
    open: (options) =>
      openStorage({
        ...target,
        ...(settings.DATABASE_LISTEN_URL === undefined ? {} : { listenUrl: settings.DATABASE_LISTEN_URL }),
        maxConnections: settings.DATABASE_POOL_SIZE,
        ...options,
      }),
    async schemaState() {
      const state = await schemaState(target);
      if (state.state !== "upToDate" || (await queueState(target)) === null) return state;
      return { state: "behind", applied: state.applied, pending: ["the job queue's own tables"] };
    },
    // A migration holds a lock of its session, which a pooler would not keep together.
    migrate: () => applyMigrations({ ...target, url: settings.DATABASE_LISTEN_URL ?? url }),
  };
}

/** Where LangGraph keeps its state: beside the database, never in its tables. */
function graphStateOf({ DATABASE_URL, DATABASE_SCHEMA }: Settings) {
  const target = parseDatabaseUrl(DATABASE_URL, DATABASE_SCHEMA);
  switch (target.kind) {
    case "memory":
      return { kind: "memory" as const };
    case "sqlite":
      return { kind: "sqlite" as const, file: graphFileBeside(resolve(target.file)) };
    case "postgres": {
      const schema = target.schema === "public" ? "langgraph" : `${target.schema}_langgraph`;
      return { kind: "postgres" as const, url: target.url, schema };
    }
  }
}

/** The store of bodies that the settings choose, or one that a command names. Only that one is ever used. */
async function bodiesOf(settings: Settings, storage: Storage, chosen?: BodyStoreKind): Promise<OpenBodies> {
  const kind = chosen ?? settings.ARTIFACT_STORE ?? (databaseOf(settings).kind === "sqlite" ? "directory" : "database");
  const dataDir = resolve(settings.WHEELHOUSE_DATA_DIR);
  const given = settings.WHEELHOUSE_OBJECT_KEY_SECRET;
  switch (kind) {
    case "database":
      // In the database, a key is no address that anybody could ask for.
      return {
        bodies: openDatabaseStore({ rows: storage.artifactBodies, clock }),
        objectKeys: objectKeys(given ?? "rows"),
      };
    case "directory": {
      const bodies = await openDirectoryStore({ folder: join(dataDir, "artifacts") });
      return { bodies, objectKeys: objectKeys(given ?? (await localObjectKeySecret(dataDir))) };
    }
    case "s3": {
      const { S3_BUCKET = "", WHEELHOUSE_OBJECT_KEY_SECRET: secret } = settings;
      if (S3_BUCKET === "" || secret === undefined)
        throw new CommandError("S3 needs S3_BUCKET and WHEELHOUSE_OBJECT_KEY_SECRET; .env.example describes them", 2);
      const { openS3Store } = await import("@wheelhouse/artifacts/s3");
      return { bodies: openS3Store(s3OptionsOf(settings, S3_BUCKET)), objectKeys: objectKeys(secret) };
    }
  }
}

function s3OptionsOf(settings: Settings, place: string): S3Options {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  const [bucket = "", ...prefix] = place.split("/");
  const credentials =
    accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey };
  const { S3_REGION: region, S3_ENDPOINT: endpoint } = settings;
  return { bucket, prefix: prefix.join("/"), region, endpoint, credentials };
}

const installationOptions = (settings: Settings, log: Logger): InstallationOptions => ({
  settings,
  database: databaseOf(settings),
  openGraphs: ({ interruptTtlMs, scriptedDelayMs, ...options }) =>
    createGraphHost({
      ...options,
      persistence: graphStateOf(settings),
      env: process.env,
      limits: { interruptTtlMs, ...(scriptedDelayMs === undefined ? {} : { scriptedDelayMs }) },
    }),
  openBodies: (storage) => bodiesOf(settings, storage),
  environment: process.env,
  log,
  clock,
  newId,
});

/** Makes a thing when it is first wanted. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function commandContext(): CommandContext {
  const settings = once(() => parseEnvironment(process.env));
  const log = once(() => {
    const { LOG_LEVEL: level, LOG_FORMAT } = settings();
    return openLog({ level, format: LOG_FORMAT ?? (process.stdout.isTTY ? "text" : "json") });
  });
  const options = once(() => installationOptions(settings(), log()));
  async function withRecords<T>(work: (records: OpenRecords) => Promise<T>): Promise<T> {
    const { database } = options();
    const problem = database.kind === "memory" ? null : schemaProblem(await database.schemaState());
    if (problem !== null) throw new CommandError(problem);
    // The answer of a command is its output; the log of what it opened is not.
    const records = await openRecords({ ...options(), log: openLog({ level: "silent", format: "json" }) });
    try {
      return await work(records);
    } finally {
      await records[Symbol.asyncDispose]();
    }
  }
  const withBodies: CommandContext["withBodies"] = (kinds, work) =>
    withRecords(async ({ storage }) => {
      const stores: OpenBodies[] = [];
      try {
        for (const kind of kinds) stores.push(await bodiesOf(settings(), storage, kind ?? undefined));
        await work({ storage, clock, stores });
      } finally {
        for (const { bodies } of stores) await bodies[Symbol.asyncDispose]();
      }
    });
  async function withInstallation<T>(work: (installation: Installation) => Promise<T>): Promise<T> {
    // The schema is looked at first, by the same words.
    await withRecords(async () => undefined);
    const installation = await openInstallation({ ...options(), log: openLog({ level: "silent", format: "json" }) });
    try {
      return await work(installation);
    } finally {
      await installation[Symbol.asyncDispose]();
    }
  }
  return { settings, log, options, withRecords, withBodies, withInstallation };
}

async function main(args: readonly string[]): Promise<number> {
  const program = new Command("wheelhouse")
    .description("The self-hosted backoffice and runtime for LangGraph agents")
    .exitOverride()
    .showHelpAfterError();
  const context = commandContext();
  addServe(program, context);
  addMigrate(program, context);
  addAdmin(program, context);
  addKeys(program, context);
  addMessages(program, context);
  addConfig(program, context);
  addArtifacts(program, context);
  addDemo(program, context);
  try {
    await program.parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const expected = [BodyStoreError, CommandError, EnvironmentError, PoolerError, SchemaError].some(
      (kind) => error instanceof kind,
    );
    const message =
      expected || !(error instanceof Error) ? String(error instanceof Error ? error.message : error) : error.stack;
    if (message) process.stderr.write(`${message}\n`);
    return error instanceof EnvironmentError ? 2 : error instanceof CommandError ? error.exitCode : 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
