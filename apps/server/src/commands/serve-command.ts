import type { Command } from "commander";
import { type CommandContext, exitCodes } from "./command-context.ts";

/** Adds `serve` and `dev`. */
export function addServe(program: Command, context: CommandContext): void {
  program
    .command("serve")
    .description("serve API, backoffice and worker on one port")
    .addHelpText(
      "after",
      `
Examples
  wheelhouse serve
  DATABASE_URL=postgres://localhost/wheelhouse PORT=8080 wheelhouse serve
${exitCodes}`,
    )
    .action(() => run(context, false));
  program
    .command("dev")
    .description("the same with a backoffice that reloads on changes, and GraphiQL at /graphql")
    .addHelpText("after", `\nExample\n  wheelhouse dev\n${exitCodes}`)
    .action(() => run(context, true));
}

async function run(context: CommandContext, dev: boolean): Promise<void> {
  // Loaded here, so that no other command waits for the servers' libraries.
  const { serve } = await import("../serve.ts");
  const stop = new AbortController();
  const log = context.log();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.on(signal, () => {
      // Asked twice: somebody does not want to wait.
      if (stop.signal.aborted) process.exit(130);
      log.info({ signal }, "stopping");
      stop.abort();
    });
  const server = await serve({ ...context.options(), dev }, stop.signal);
  if (server === null) return;
  log.info({ url: server.url, database: context.options().database.kind }, `Wheelhouse is at ${server.url}`);
  // Not through the log: the link is a credential, and logs travel.
  if (server.ownerLink !== null)
    process.stdout.write(
      `\n  Open this link once, within 24 hours, to become the owner:\n\n    ${server.ownerLink}\n\n`,
    );
  if (!stop.signal.aborted)
    await new Promise<void>((resolve) => stop.signal.addEventListener("abort", () => resolve(), { once: true }));
  await server.close();
  log.info({}, "stopped");
  // Nothing should be left to wait for. Should something be, say so instead of hanging for ever.
  setTimeout(() => {
    log.error({}, "something kept the process alive; ending it");
    process.exit(1);
  }, 10_000).unref();
}
