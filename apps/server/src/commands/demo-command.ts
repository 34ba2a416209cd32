import type { Command } from "commander";
import { demoClock } from "../demo/demo-clock.ts";
import { planDemo } from "../demo/demo-plan.ts";
import { failingGraphs } from "../demo/failing-graphs.ts";
import { seedDemo } from "../demo/seed-demo.ts";
import { schemaProblem } from "../http/health.ts";
import { openInstallation } from "../installation.ts";
import { answering, type CommandContext, CommandError, exitCodes, say } from "./command-context.ts";

/** How much faster than real time the demo's clock runs: a scripted run of 100 ms looks like one of two seconds. */
const speed = 20;
const defaultCount = 330;

/** Adds `demo`. */
export function addDemo(program: Command, context: CommandContext): void {
  answering(program.command("demo").description("fill the default project with a month of believable conversations"))
    .option("--conversations <count>", "how many", Number, defaultCount)
    .addHelpText(
      "after",
      `
Everything is made by the product itself: messages, runs, tool calls, approvals, failures. What is there stays.
Stop the server first: two processes would share the work, and one of them lives in the present.

Examples
  wheelhouse demo
  wheelhouse demo --conversations 50
${exitCodes}`,
    )
    .action((options: { conversations: number; json?: boolean }) => demo(context, options));
}

async function demo(context: CommandContext, options: { conversations: number; json?: boolean }): Promise<void> {
  const { conversations } = options;
  if (!Number.isInteger(conversations) || conversations < 1 || conversations > 10_000)
    throw new CommandError("--conversations: use a whole number from 1 to 10000", 2);
  const base = context.options();
  if (base.database.kind === "memory") throw new CommandError("A database in memory is gone when the demo is made");
  await refuseRunningServer(context);
  await base.database.migrate();
  const problem = schemaProblem(await base.database.schemaState());
  if (problem !== null) throw new CommandError(problem);
  const clock = demoClock(speed);
  const failing = new Set<string>();
  const installation = await openInstallation({
    ...base,
    clock,
    log: quiet,
    openGraphs: (graphs) => failingGraphs(base.openGraphs({ ...graphs, scriptedDelayMs: 0 }), failing),
    // The pauses that let people see text flow would only cost time here. What was asked in the past waits in the present.
    tunables: { flushMs: 1, leaseMs: 86_400_000, interruptTtlMs: 90 * 86_400_000 },
  });
  const worker = installation.startWorker("demo");
  const startedAt = performance.now();
  try {
    const plan = planDemo(new Date(), conversations);
    const counts = await seedDemo(installation, clock, plan, { failing, progress: progressOf(plan.length, options) });
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    say(
      options,
      { ...counts, seconds },
      `${counts.made} conversations were made, ${counts.kept} were there already (${seconds} s)`,
    );
  } finally {
    await worker[Symbol.asyncDispose]();
    await installation[Symbol.asyncDispose]();
  }
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** One line that counts up on a terminal, a line now and then elsewhere. */
function progressOf(total: number, { json }: { json?: boolean }): (done: number) => void {
  if (json) return () => undefined;
  const { isTTY } = process.stderr;
  return (done) => {
    if (isTTY) process.stderr.write(`\r${done} of ${total} conversations${done === total ? "\n" : ""}`);
    else if (done % 50 === 0 || done === total) process.stderr.write(`${done} of ${total} conversations\n`);
  };
}

async function refuseRunningServer(context: CommandContext): Promise<void> {
  const { HOST, PORT } = context.settings();
  const host = HOST === "0.0.0.0" ? "127.0.0.1" : HOST;
  const running = await fetch(`http://${host}:${PORT}/livez`, { signal: AbortSignal.timeout(1_000) }).catch(() => null);
  if (running?.ok)
    throw new CommandError(`A server is running on port ${PORT}. Stop it, make the demo, start it again`);
}
