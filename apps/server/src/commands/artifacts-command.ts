import { migrateBodies, sweepOrphans, verifyBodies } from "@wheelhouse/artifacts";
import { bodyStores } from "@wheelhouse/domain";
import { type Command, InvalidArgumentError, Option } from "commander";
import { answering, type CommandContext, CommandError, exitCodes, say } from "./command-context.ts";

type StoreName = (typeof bodyStores)[number];

interface MigrateOptions {
  from: StoreName;
  to: StoreName;
  dryRun?: boolean;
  drained?: boolean;
  json?: boolean;
}

/** Adds `artifacts migrate|verify|gc`. */
export function addArtifacts(program: Command, context: CommandContext): void {
  const artifacts = program.command("artifacts").description("the bodies of artifacts");
  addMigrate(artifacts, context);
  addVerify(artifacts, context);
  addSweep(artifacts, context);
}

const storeOption = (flags: string, description: string) => new Option(flags, description).choices([...bodyStores]);

function addMigrate(artifacts: Command, context: CommandContext): void {
  answering(artifacts.command("migrate").description("move every body from one store to another"))
    .addOption(storeOption("--from <store>", "where bodies are").makeOptionMandatory())
    .addOption(storeOption("--to <store>", "where they shall be").makeOptionMandatory())
    .option("--dry-run", "only say what would be done")
    .option("--drained", "no process writes artifacts any more, whatever runs are waiting")
    .addHelpText(
      "after",
      `
Each body is copied and verified before its manifest names the new place. Stopped in the middle, the same command goes
on where it was. The bodies in the old store stay. Afterwards start the server with the new ARTIFACT_STORE.

Examples
  wheelhouse artifacts migrate --from directory --to s3 --dry-run
  wheelhouse artifacts migrate --from directory --to s3
${exitCodes}`,
    )
    .action((options: MigrateOptions) => migrate(context, options));
}

async function migrate(context: CommandContext, options: MigrateOptions): Promise<void> {
  const { from, to, dryRun = false, drained = false } = options;
  if (from === to) throw new CommandError("--from and --to are the same store", 2);
  await context.withBodies([from, to], async ({ storage, stores: [source, target] }) => {
    if (source === undefined || target === undefined) throw new Error("Two stores were asked for");
    const active = await storage.artifacts.activeRuns();
    if (active > 0 && !drained && !dryRun)
      throw new CommandError(
        `${active} runs are active and may publish; let them end, or stop the server and say --drained`,
      );
    await target.bodies.check();
    const progress = progressOf(options, "moved");
    let last = {
      copied: 0,
      bytes: 0,
      switched: 0,
      problems: [] as { path: string; version: number; problem: string }[],
    };
    const deps = { storage, from: source.bodies, to: target.bodies, objectKeys: target.objectKeys };
    for await (last of migrateBodies(deps, { dryRun })) progress(last.copied);
    progress(last.copied, true);
    const text = dryRun
      ? `${last.copied} bodies, ${last.bytes} bytes, would be moved from ${from} to ${to}`
      : `${last.switched} bodies, ${last.bytes} bytes, were moved from ${from} to ${to}`;
    say(options, { dryRun, from, to, ...last }, [text, ...problemLines(last.problems)].join("\n"));
    if (last.problems.length > 0) throw new CommandError(`${last.problems.length} bodies could not be moved`);
  });
}

interface VerifyOptions {
  store?: StoreName;
  every: number;
  json?: boolean;
}

function addVerify(artifacts: Command, context: CommandContext): void {
  answering(artifacts.command("verify").description("read bodies back and compare them with their checksums"))
    .addOption(storeOption("--store <store>", "the store to look at; the one in use when absent"))
    .option("--every <n>", "a sample: only every so manyth body", parseEvery, 1)
    .addHelpText(
      "after",
      `\nExamples\n  wheelhouse artifacts verify\n  wheelhouse artifacts verify --every 100 --json\n${exitCodes}`,
    )
    .action((options: VerifyOptions) => verify(context, options));
}

async function verify(context: CommandContext, options: VerifyOptions): Promise<void> {
  await context.withBodies([options.store ?? null], async ({ storage, stores: [store] }) => {
    if (store === undefined) throw new Error("A store was asked for");
    const { bodies } = store;
    const progress = progressOf(options, "verified");
    let last = { looked: 0, bytes: 0, problems: [] as { path: string; version: number; problem: string }[] };
    for await (last of verifyBodies({ storage, bodies }, { every: options.every })) progress(last.looked);
    progress(last.looked, true);
    const { looked, bytes, problems } = last;
    const text = `${looked} bodies, ${bytes} bytes, were read back from ${bodies.kind}; ${looked - problems.length} are what was written`;
    say(options, { store: bodies.kind, ...last }, [text, ...problemLines(problems)].join("\n"));
    if (problems.length > 0) throw new CommandError(`${problems.length} bodies are not what was written`);
  });
}

interface SweepOptions {
  store?: StoreName;
  olderThanHours: number;
  json?: boolean;
}

function addSweep(artifacts: Command, context: CommandContext): void {
  answering(artifacts.command("gc").description("delete bodies that no manifest names, as the server does by itself"))
    .addOption(storeOption("--store <store>", "the store to look at; the one in use when absent"))
    .option("--older-than-hours <hours>", "how old a body, and then its mark, must be", parseHours, 24)
    .addHelpText(
      "after",
      `
The first time a body is only marked; it is deleted by a later call, when its mark is old enough.

Examples
  wheelhouse artifacts gc
  wheelhouse artifacts gc --store directory --older-than-hours 1
${exitCodes}`,
    )
    .action((options: SweepOptions) =>
      context.withBodies([options.store ?? null], async ({ storage, clock, stores: [store] }) => {
        if (store === undefined) throw new Error("A store was asked for");
        const { bodies } = store;
        const counts = await sweepOrphans({ storage, bodies, clock }, options.olderThanHours * 3_600_000);
        const { looked, marked, deleted, abandoned } = counts;
        const text = `${looked} bodies were looked at; ${marked} marked, ${deleted} deleted, ${abandoned} unfinished uploads forgotten`;
        say(options, { store: bodies.kind, ...counts }, text);
      }),
    );
}

function parseEvery(value: string): number {
  const every = Number(value);
  if (!Number.isSafeInteger(every) || every < 1) throw new InvalidArgumentError("Write a whole number from 1.");
  return every;
}

function parseHours(value: string): number {
  const hours = Number(value);
  if (!Number.isFinite(hours) || hours < 0) throw new InvalidArgumentError("Write a number of hours.");
  return hours;
}

const problemLines = (problems: readonly { path: string; version: number; problem: string }[]): string[] =>
  problems.map(({ path, version, problem }) => `  ${path} version ${version}: ${problem}`);

/** One line that counts up on a terminal, a line now and then elsewhere. */
function progressOf({ json }: { json?: boolean }, done: string): (count: number, isLast?: boolean) => void {
  if (json) return () => undefined;
  const { isTTY } = process.stderr;
  return (count, isLast = false) => {
    if (isTTY) process.stderr.write(`\r${count} ${done}${isLast ? "\n" : ""}`);
    else if (!isLast) process.stderr.write(`${count} ${done}\n`);
  };
}
