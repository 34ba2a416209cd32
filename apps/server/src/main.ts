// The composition root: the only file that reads the environment and chooses adapters.
import { resolve } from "node:path";
import { createGraphHost } from "@wheelhouse/runtime/graph";
import { applyMigrations, openStorage, parseDatabaseUrl, schemaState } from "@wheelhouse/storage/prisma";
import { Command, CommanderError } from "commander";
import type { Logger } from "pino";
import { v7 as newId } from "uuid";
import { addAdmin } from "./commands/admin-command.ts";
import { type CommandContext, CommandError } from "./commands/command-context.ts";
import { addDemo } from "./commands/demo-command.ts";
import { addKeys } from "./commands/keys-command.ts";
import { addMigrate } from "./commands/migrate-command.ts";
import { addServe } from "./commands/serve-command.ts";
import { EnvironmentError, parseEnvironment, type Settings } from "./environment.ts";
import { schemaProblem } from "./http/health.ts";
import {
  type DatabaseDoor,
  graphFileBeside,
  type InstallationOptions,
  type OpenRecords,
  openRecords,
} from "./installation.ts";
import { openLog } from "./log.ts";

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
    schemaState: () => schemaState(target),
    migrate: () => applyMigrations(target),
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
  return { settings, log, options, withRecords };
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
  addDemo(program, context);
  try {
    await program.parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const expected = error instanceof CommandError || error instanceof EnvironmentError;
    const message =
      expected || !(error instanceof Error) ? String(error instanceof Error ? error.message : error) : error.stack;
    if (message) process.stderr.write(`${message}\n`);
    return error instanceof EnvironmentError ? 2 : error instanceof CommandError ? error.exitCode : 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
