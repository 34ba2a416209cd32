import type { BodyStore, BodyStoreKind, ObjectKeys } from "@wheelhouse/artifacts";
import type { Clock } from "@wheelhouse/domain";
import type { Log } from "@wheelhouse/runtime";
import type { Storage } from "@wheelhouse/storage";
import type { Command } from "commander";
import type { Settings } from "../environment.ts";
import type { Installation, InstallationOptions, OpenRecords } from "../installation.ts";

export interface OpenBodies {
  bodies: BodyStore;
  objectKeys: ObjectKeys;
}

/** What commands are given. Nothing is opened before a command asks for it. */
export interface CommandContext {
  settings(): Settings;
  log(): Log;
  options(): InstallationOptions;
  /** Opens the records for one command and closes them again; the schema must be up to date. */
  withRecords<T>(work: (records: OpenRecords) => Promise<T>): Promise<T>;
  /** The same with stores of bodies, those that are named, or with null the one in use. */
  withBodies(
    stores: readonly (BodyStoreKind | null)[],
    work: (opened: { storage: Storage; clock: Clock; stores: OpenBodies[] }) => Promise<void>,
  ): Promise<void>;
  /** The same with everything that a server has, but for the server: nothing is executed. */
  withInstallation<T>(work: (installation: Installation) => Promise<T>): Promise<T>;
}

/** 1: it did not work. 2: it was called wrongly or the environment is not right (commander's own errors too). */
export class CommandError extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = "CommandError";
    this.exitCode = exitCode;
  }
}

/** Adds `--json` to a command and its answer in both forms. */
export function answering(command: Command): Command {
  return command.option("--json", "answer as JSON");
}

export function say(options: { json?: boolean }, data: unknown, text: string): void {
  process.stdout.write(options.json ? `${JSON.stringify(data, null, 2)}\n` : `${text}\n`);
}

export const exitCodes = `
Exit codes: 0 done, 1 it did not work, 2 wrong call or wrong environment`;
