import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { createOwner, newOwnerLink, OwnerForm } from "../access/owner-link.ts";
import { localUrl } from "../installation.ts";
import { answering, type CommandContext, CommandError, exitCodes, say } from "./command-context.ts";

interface OwnerOptions {
  email?: string;
  name?: string;
  passwordStdin?: boolean;
  json?: boolean;
}

/** Adds `admin create-owner`. */
export function addAdmin(program: Command, context: CommandContext): void {
  const admin = program.command("admin").description("users who administer the installation");
  answering(
    admin.command("create-owner").description("make an owner of the default project, or a link for the first one"),
  )
    .option("--email <address>", "who")
    .option("--name <name>", "their name")
    .option("--password-stdin", "read the password from standard input")
    .addHelpText(
      "after",
      `
Examples
  wheelhouse admin create-owner                      prints a one-time link, while there is no owner yet
  echo "$PASSWORD" | wheelhouse admin create-owner --email ada@example.com --name Ada --password-stdin
${exitCodes}`,
    )
    .action((options: OwnerOptions) =>
      options.email === undefined ? link(context, options) : owner(context, options, options.email),
    );
}

const link = (context: CommandContext, options: OwnerOptions): Promise<void> =>
  context.withRecords(async ({ storage, models, signIn }) => {
    const path = await newOwnerLink({
      access: storage.access,
      verifications: models.verification,
      signIn,
      newId: context.options().newId,
      now: () => new Date(),
    });
    if (path === null) throw new CommandError("There is an owner already; name the new one with --email");
    const url = `${localUrl(context.settings())}${path}`;
    say(options, { link: url }, `Open this link once, within 24 hours:\n  ${url}`);
  });

async function owner(context: CommandContext, options: OwnerOptions, email: string): Promise<void> {
  if (!options.passwordStdin) throw new CommandError("Give the password with --password-stdin", 2);
  const password = (await text(process.stdin)).replace(/\r?\n$/, "");
  const form = OwnerForm.omit({ token: true }).safeParse({
    email,
    password,
    name: options.name ?? email.split("@")[0],
  });
  if (!form.success)
    throw new CommandError(form.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("\n"), 2);
  await context.withRecords(async ({ storage, signIn, project }) => {
    await createOwner({ access: storage.access, signIn, now: () => new Date() }, form.data, project.id);
    say(options, { email, project: project.slug, role: "OWNER" }, `${email} owns ${project.slug}`);
  });
}
