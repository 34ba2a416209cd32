import type { Log } from "@wheelhouse/runtime";
import type { Command } from "commander";
import type { Settings } from "../environment.ts";
import type { InstallationOptions, OpenRecords } from "../installation.ts";

/** What commands are given. Nothing is opened before a command asks for it. */
export interface CommandContext {
  settings(): Settings;
  log(): Log;
  options(): InstallationOptions;
  /** Opens the records for one command and closes them again; the schema must be up to date. */
  withRecords<T>(work: (records: OpenRecords) => Promise<T>): Promise<T>;
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
