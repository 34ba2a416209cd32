import { Scope } from "@wheelhouse/domain";
import { type Command, InvalidArgumentError, Option } from "commander";
import { newApiKey, type Permission, permissions } from "../access/api-key.ts";
import type { OpenRecords } from "../installation.ts";
import { answering, type CommandContext, CommandError, exitCodes, say } from "./command-context.ts";

interface CreateOptions {
  name: string;
  project?: string;
  reach: "EXACT" | "PROJECT";
  permissions: Permission[];
  scope: Record<string, string>;
  expiresInDays?: number;
  json?: boolean;
}

/** Adds `keys create|list|revoke`. */
export function addKeys(program: Command, context: CommandContext): void {
  const keys = program
    .command("keys")
    .description("API keys of a project")
    .addHelpText(
      "after",
      `
Examples
  wheelhouse keys create --name dashboard --reach PROJECT --permissions read
  wheelhouse keys create --name shop --permissions read,write,gateway
  wheelhouse keys create --name one-user --scope user=u-7 --expires-in-days 30
  wheelhouse keys list
  wheelhouse keys revoke wh_abcdefghij

Permissions
  read             see what is there
  write            create sessions, send messages, cancel, decide, write definitions
  gateway          name the rest of the scope in x-wheelhouse-scope-<key> headers
  operator-events  see the events that are meant for operators
${exitCodes}`,
    );
  addCreate(keys, context);
  answering(keys.command("list").description("the keys, without their secrets"))
    .option("--project <slug>", "the project; the default one when absent")
    .action((options: { project?: string; json?: boolean }) =>
      context.withRecords(async (records) => {
        const project = await projectOf(records, options.project);
        const found = await records.storage.access.apiKeys(project.id);
        const rows = found.map(({ secretHash: _, ...key }) => key);
        const now = new Date();
        const lines = rows.map((key) => {
          const ended =
            key.revokedAt !== null ? "revoked" : key.expiresAt !== null && key.expiresAt <= now ? "expired" : "";
          return [
            key.prefix,
            key.reach.padEnd(7),
            ended.padEnd(7),
            key.permissions.join(",").padEnd(20),
            key.name,
          ].join("  ");
        });
        say(options, rows, lines.length === 0 ? "No keys" : lines.join("\n"));
      }),
    );
  answering(keys.command("revoke").description("end a key at once; streams that it opened end within 30 seconds"))
    .argument("<prefix>", "the key's prefix, wh_ and ten letters")
    .action((prefix: string, options: { json?: boolean }) =>
      context.withRecords(async ({ storage }) => {
        const revoked = await storage.access.revokeApiKey(prefix, new Date());
        if (!revoked) throw new CommandError(`There is no key ${prefix} that could be revoked`);
        say(options, { prefix, revoked }, `Revoked ${prefix}`);
      }),
    );
}

function addCreate(keys: Command, context: CommandContext): void {
  answering(keys.command("create").description("make a key; its secret is shown once"))
    .requiredOption("--name <name>", "what it is for")
    .option("--project <slug>", "the project; the default one when absent")
    .addOption(
      new Option("--reach <reach>", "one exact scope, or the whole project")
        .choices(["EXACT", "PROJECT"])
        .default("EXACT"),
    )
    .option("--permissions <list>", `some of ${permissions.join(", ")}`, parsePermissions, ["read", "write"])
    .option("--scope <key=value>", "a fixed part of its scope; repeat for more", parseScope, {})
    .option("--expires-in-days <days>", "how long it is good", parseDays)
    .action((options: CreateOptions) =>
      context.withRecords(async (records) => {
        const { access } = records.storage;
        const project = await projectOf(records, options.project);
        const { key, prefix, secretHash } = newApiKey();
        const now = new Date();
        const days = options.expiresInDays;
        const record = await access.createApiKey({
          projectId: project.id,
          name: options.name,
          prefix,
          secretHash,
          permissions: options.permissions,
          reach: options.reach,
          fixedScope: options.reach === "EXACT" ? { ...options.scope, project: project.slug } : null,
          expiresAt: days === undefined ? null : new Date(now.getTime() + days * 86_400_000),
          at: now,
        });
        const { name, reach, fixedScope, expiresAt } = record;
        say(
          options,
          { key, prefix, name, reach, permissions: options.permissions, fixedScope, expiresAt, project: project.slug },
          `${key}\n\nThis is the only time the key is shown. Send it as: Authorization: Bearer <key>`,
        );
      }),
    );
}

async function projectOf({ storage, project }: OpenRecords, slug: string | undefined) {
  if (slug === undefined) return project;
  const found = await storage.access.projectBySlug(slug);
  if (found === null) throw new CommandError(`There is no project ${slug}`);
  return found;
}

function parsePermissions(value: string): Permission[] {
  return value.split(",").map((name) => {
    const known = permissions.find((permission) => permission === name.trim());
    if (known === undefined) throw new InvalidArgumentError(`Use some of ${permissions.join(", ")}.`);
    return known;
  });
}

function parseScope(value: string, before: Record<string, string>): Record<string, string> {
  const [key = "", ...rest] = value.split("=");
  const parsed = Scope.safeParse({ [key]: rest.join("=") });
  if (!parsed.success || key === "project")
    throw new InvalidArgumentError("Write key=value; the project is set already.");
  return { ...before, ...parsed.data };
}

function parseDays(value: string): number {
  const days = Number(value);
  if (!Number.isFinite(days) || days <= 0) throw new InvalidArgumentError("Write a number of days.");
  return days;
}
