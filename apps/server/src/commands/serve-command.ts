import { type Command, Option } from "commander";
import { type Role, RoleError, roles } from "../role.ts";
import { type CommandContext, CommandError, exitCodes } from "./command-context.ts";

/** Adds `serve` and `dev`. */
export function addServe(program: Command, context: CommandContext): void {
  program
    .command("serve")
    .description("serve API, backoffice and worker on one port, or one of the two sides")
    .addOption(
      new Option(
        "--role <role>",
        "all: everything; api: API and backoffice, no runs; worker: runs and health only (api and worker need PostgreSQL)",
      )
        .choices(roles)
        .default("all"),
    )
    .addHelpText(
      "after",
      `
Examples
  wheelhouse serve
  DATABASE_URL=postgres://localhost/wheelhouse PORT=8080 wheelhouse serve
  DATABASE_URL=postgres://localhost/wheelhouse PORT=8081 wheelhouse serve --role worker
${exitCodes}`,
    )
    .action(({ role }: { role: Role }) => run(context, { dev: false, role }));
  program
    .command("dev")
    .description("the same with a backoffice that reloads on changes, and GraphiQL at /graphql")
    .addHelpText("after", `\nExample\n  wheelhouse dev\n${exitCodes}`)
    .action(() => run(context, { dev: true, role: "all" }));
}

async function run(context: CommandContext, { dev, role }: { dev: boolean; role: Role }): Promise<void> {
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
  const server = await serve({ ...context.options(), dev, role }, stop.signal).catch((error: unknown) => {
    throw error instanceof RoleError ? new CommandError(error.message, 2) : error;
  });
  if (server === null) return;
  const what = role === "worker" ? "A worker's health is" : "Wheelhouse is";
  log.info({ url: server.url, database: context.options().database.kind, role }, `${what} at ${server.url}`);
  // Not through the log: the link is a credential, and logs travel.
  if (server.ownerLink !== null)
    process.stdout.write(
      `\n  Open this link once, within 24 hours, to become the owner:\n\n    ${server.ownerLink}\n\n`,
    );
  if (!stop.signal.aborted)
    await new Promise<void>((resolve) => stop.signal.addEventListener("abort", () => resolve(), { once: true }));
  await server.close();
  log.info({}, "stopped");
  // The compiler and the file watchers of Next's development server outlive its close.
  if (dev) process.exit(0);
  // Nothing should be left to wait for. Should something be, say so instead of hanging for ever.
  setTimeout(() => {
    log.error({}, "something kept the process alive; ending it");
    process.exit(1);
  }, 10_000).unref();
}
