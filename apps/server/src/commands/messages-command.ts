import { Refusal } from "@wheelhouse/domain";
import { type RebuiltSession, rebuildMessages } from "@wheelhouse/runtime";
import type { Command } from "commander";
import type { Installation } from "../installation.ts";
import { answering, type CommandContext, CommandError, exitCodes, say } from "./command-context.ts";
import { projectAuthority } from "./project-authority.ts";

interface RebuildOptions {
  session?: string;
  project?: string;
  dryRun?: boolean;
  json?: boolean;
}

/** Sessions between two lines of progress where there is no terminal. */
const progressEvery = 100;

/** Adds `messages rebuild`. */
export function addMessages(program: Command, context: CommandContext): void {
  const messages = program.command("messages").description("transcripts");
  answering(messages.command("rebuild").description("make transcripts say what the conversations' checkpoints say"))
    .option("--session <id>", "one conversation; every one of the project when absent")
    .option("--project <slug>", "the project; the default one when absent")
    .option("--dry-run", "only say what would be done")
    .addHelpText(
      "after",
      `
Rows keep their ids, places, times and attribution; missing ones come back; none is removed. A conversation in which a
run is at work is passed over. The server may go on running.

Examples
  wheelhouse messages rebuild --dry-run
  wheelhouse messages rebuild --session Session_01970000-0000-7000-8000-000000000000
${exitCodes}`,
    )
    .action((options: RebuildOptions) => context.withInstallation((installation) => rebuild(installation, options)));
}

async function rebuild(installation: Installation, options: RebuildOptions): Promise<void> {
  const { session, dryRun = false } = options;
  const authority = await projectAuthority(installation, { slug: options.project, command: "messages rebuild" });
  const changed: RebuiltSession[] = [];
  const counts = { sessions: 0, inserted: 0, updated: 0, told: 0, busy: 0, empty: 0 };
  const progress = progressOf(options);
  const sessionId = session?.replace(/^Session_/, "");
  try {
    for await (const each of rebuildMessages(installation.runtime, authority, { sessionId, dryRun })) {
      counts.sessions++;
      if (each.outcome === "empty") counts.empty++;
      if (each.outcome === "busy" || each.outcome === "changed") counts.busy++;
      if (each.outcome === "rebuilt" && each.inserted + each.updated + each.told > 0) {
        counts.inserted += each.inserted;
        counts.updated += each.updated;
        counts.told += each.told;
        changed.push(each);
      }
      progress(counts.sessions);
    }
  } catch (error) {
    if (error instanceof Refusal && error.code === "NOT_FOUND")
      throw new CommandError(`There is no session ${session}`);
    throw error;
  }
  progress(counts.sessions, true);
  const done = dryRun ? "would be" : "were";
  const text = [
    changed.length === 0
      ? `${counts.sessions} conversations were looked at; nothing ${dryRun ? "would change" : "had to change"}`
      : `${counts.sessions} conversations were looked at; in ${changed.length} of them ${counts.inserted} messages ${done} inserted, ${counts.updated} changed and ${counts.told} events told`,
    ...(counts.busy > 0 ? [`${counts.busy} were passed over, because a run is at work in them`] : []),
  ];
  say(options, { dryRun, ...counts, changed }, text.join("\n"));
}

/** One line that counts up on a terminal, a line now and then elsewhere. */
function progressOf({ json, session }: RebuildOptions): (done: number, isLast?: boolean) => void {
  if (json || session !== undefined) return () => undefined;
  const { isTTY } = process.stderr;
  return (done, isLast = false) => {
    if (isTTY) process.stderr.write(`\r${done} conversations${isLast ? "\n" : ""}`);
    else if (!isLast && done % progressEvery === 0) process.stderr.write(`${done} conversations\n`);
  };
}
