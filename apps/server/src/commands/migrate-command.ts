import type { Command } from "commander";
import { schemaProblem } from "../http/health.ts";
import { answering, type CommandContext, CommandError, exitCodes, say } from "./command-context.ts";

/** Adds `migrate deploy` and `migrate status`. */
export function addMigrate(program: Command, context: CommandContext): void {
  const migrate = program
    .command("migrate")
    .description("bring the database's schema up to date, or see how it stands")
    .addHelpText(
      "after",
      `
Examples
  wheelhouse migrate deploy
  DATABASE_URL=postgres://localhost/wheelhouse wheelhouse migrate status --json
${exitCodes}`,
    );
  answering(migrate.command("deploy").description("apply what is pending; replicas may do so at once")).action(
    async (options: { json?: boolean }) => {
      const applied = await context.options().database.migrate();
      const text = applied.length === 0 ? "Nothing is pending" : `Applied ${applied.join(", ")}`;
      say(options, { applied }, text);
    },
  );
  answering(
    migrate.command("status").description("how the schema stands; exit code 1 when it is not up to date"),
  ).action(async (options: { json?: boolean }) => {
    const state = await context.options().database.schemaState();
    const problem = schemaProblem(state);
    say(options, state, problem ?? "The schema is up to date");
    if (problem !== null) throw new CommandError("", 1);
  });
}
