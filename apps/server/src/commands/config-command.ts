import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Authority, Refusal, type Scope } from "@wheelhouse/domain";
import {
  configFolderFiles,
  issueText,
  loadWorkspaceConfig,
  openRegistry,
  type RegistryIssue,
  readConfigFolder,
} from "@wheelhouse/registry";
import {
  type ConfigPlan,
  type ImportedDefinition,
  importConfig,
  type PlannedChange,
  planConfigImport,
  readAllConfig,
} from "@wheelhouse/runtime";
import type { Command } from "commander";
import type { Installation } from "../installation.ts";
import { answering, type CommandContext, CommandError, exitCodes, say } from "./command-context.ts";
import { projectAuthority } from "./project-authority.ts";

interface ProjectOptions {
  project?: string;
  json?: boolean;
}
interface ImportOptions extends ProjectOptions {
  prune?: boolean;
  dryRun?: boolean;
  reason?: string;
}

/** Adds `config validate|export|diff|import`. */
export function addConfig(program: Command, context: CommandContext): void {
  const config = program
    .command("config")
    .description("definitions of a project as files")
    .addHelpText(
      "after",
      `
A folder of definitions has agents/, tools/, skills/, providers.yaml, mcp.yaml, sandbox.yaml and defaults.yaml; those of
scopes within the project stand below scopes/. What export writes, import reads back the same.

Examples
  wheelhouse config validate
  wheelhouse config export ./definitions
  wheelhouse config diff ./definitions --project staging
  wheelhouse config import ./definitions --project staging --dry-run
${exitCodes}`,
    );
  answering(config.command("validate").description("say what is wrong in the workspace's files, or in a folder's"))
    .argument("[folder]", "a folder of definitions; the workspace when absent, with what its files name")
    .action((folder: string | undefined, options: ProjectOptions) => validate(context, folder, options));
  withProject(config.command("export").description("write the project's definitions into a folder"))
    .argument("<folder>", "must be empty or new")
    .option("--replace", "remove the definitions that are in the folder first")
    .action((folder: string, options: ProjectOptions & { replace?: boolean }) =>
      context.withInstallation((installation) => exportTo(installation, folder, options)),
    );
  withProject(config.command("diff").description("say how a folder's definitions differ from the project's"))
    .argument("<folder>")
    .addHelpText("after", "\nEnds with 1 when they differ.")
    .action((folder: string, options: ProjectOptions) =>
      context.withInstallation((installation) => diff(installation, folder, options)),
    );
  withProject(config.command("import").description("give the project a folder's definitions, all or nothing"))
    .argument("<folder>")
    .option("--prune", "delete definitions that are not in the folder")
    .option("--dry-run", "check everything and change nothing")
    .option("--reason <text>", "why, for the revisions and the audit log")
    .action((folder: string, options: ImportOptions) =>
      context.withInstallation((installation) => importFrom(installation, folder, options)),
    );
}

const withProject = (command: Command): Command =>
  answering(command).option("--project <slug>", "the project; the default one when absent");

async function validate(context: CommandContext, folder: string | undefined, options: ProjectOptions): Promise<void> {
  const env = process.env;
  const issues =
    folder === undefined
      ? await workspaceIssues(context)
      : (await readConfigFolder(folder, { project: "project", env })).issues;
  say(options, { issues }, issues.length === 0 ? "Nothing is wrong" : issues.map(issueText).join("\n"));
  if (issues.length > 0) throw new CommandError(options.json ? "" : problems(issues.length));
}

async function workspaceIssues(context: CommandContext): Promise<readonly RegistryIssue[]> {
  const workspaceDir = resolve(context.settings().WHEELHOUSE_WORKSPACE);
  const { config, issues } = await loadWorkspaceConfig(workspaceDir);
  const toolNames = config.tools.map(({ name }) => name);
  const registry = await openRegistry({ workspaceDir, codeAgents: config.agents, toolNames, env: process.env });
  return [...issues, ...registry.issues()];
}

const problems = (n: number): string => (n === 1 ? "1 problem" : `${n} problems`);

const written = ["agents", "tools", "skills", "scopes", "providers.yaml", "mcp.yaml", "sandbox.yaml", "defaults.yaml"];

async function exportTo(
  installation: Installation,
  folder: string,
  options: ProjectOptions & { replace?: boolean },
): Promise<void> {
  const authority = await authorityOf(installation, options, "config export");
  const definitions = [];
  for await (const entity of readAllConfig(installation.runtime, authority)) definitions.push(entity);
  await mkdir(folder, { recursive: true });
  if (options.replace) for (const entry of written) await rm(join(folder, entry), { recursive: true, force: true });
  else if ((await readdir(folder)).length > 0)
    throw new CommandError(`${folder} is not empty; name another folder, or give --replace`);
  const files = configFolderFiles(definitions, projectOf(authority));
  for (const [file, text] of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  const count = definitions.length === 1 ? "1 definition" : `${definitions.length} definitions`;
  say(options, { definitions: definitions.length, files: [...files.keys()] }, `Wrote ${count} to ${folder}`);
}

async function diff(installation: Installation, folder: string, options: ProjectOptions): Promise<void> {
  const authority = await authorityOf(installation, options, "config diff");
  const { plan } = await planOf(installation, authority, { folder, prune: true });
  report(options, plan, {});
  if (plan.changes.length > 0) throw new CommandError("");
}

async function importFrom(installation: Installation, folder: string, options: ImportOptions): Promise<void> {
  const { prune = false, dryRun = false, reason = null } = options;
  const authority = await authorityOf(installation, options, "config import");
  const { plan, placeOf } = await planOf(installation, authority, { folder, prune });
  try {
    const outcome = await importConfig(installation.runtime, authority, { plan, reason, dryRun });
    if (outcome.outcome === "conflict")
      throw new CommandError(
        `${outcome.current.kind} ${outcome.current.name} was changed meanwhile; nothing was imported`,
      );
    report(options, plan, { dryRun, impact: outcome.impact });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const lines = error.issues.length === 0 ? [error.message] : error.issues.map((issue) => placeOf(issue));
    throw new CommandError(`${lines.join("\n")}\nNothing was imported.`);
  }
}

interface Planned {
  plan: ConfigPlan;
  /** An issue of the import, at the line of the file that it is about. */
  placeOf(issue: { path: string; message: string }): string;
}

async function planOf(
  { runtime }: Installation,
  authority: Authority,
  { folder, prune }: { folder: string; prune: boolean },
): Promise<Planned> {
  const read = await readConfigFolder(folder, { project: projectOf(authority), env: process.env });
  if (read.issues.length > 0) throw new CommandError(`${read.issues.map(issueText).join("\n")}\nNothing was done.`);
  const places = new Map(
    read.definitions.map(({ place, ...wanted }): [ImportedDefinition, typeof place] => [wanted, place]),
  );
  const plan = await planConfigImport(runtime, authority, { definitions: [...places.keys()], prune });
  return {
    plan,
    placeOf({ path, message }) {
      // The set's only change is not numbered.
      const [, index = "0", rest = path] = /^changes\[(\d+)\]\.?(.*)$/s.exec(path) ?? [];
      const wanted = plan.changes[Number(index)]?.wanted;
      const place = wanted == null ? undefined : places.get(wanted);
      const said = rest === "" ? message : `${rest}: ${message}`;
      return place === undefined ? said : issueText({ file: place.file, line: place.lineOf(rest), message: said });
    },
  };
}

const signs = { create: "+", update: "~", delete: "-" } as const;

function report(options: ProjectOptions, plan: ConfigPlan, more: Record<string, unknown>): void {
  const changes = plan.changes.map(({ op, wanted, current }) => {
    const { kind, name, scope } = wanted ?? current;
    return { op, kind, name, scope };
  });
  const lines = plan.changes.map(lineOf);
  const same = plan.unchanged === 1 ? "1 definition is the same" : `${plan.unchanged} definitions are the same`;
  say(options, { changes, unchanged: plan.unchanged, ...more }, [...lines, same].join("\n"));
}

function lineOf({ op, wanted, current }: PlannedChange): string {
  const { kind, name, scope } = wanted ?? current;
  return `${signs[op]} ${kind} ${name}${scopeText(scope)}`;
}

/** What a scope says beyond the project. */
function scopeText(scope: Scope): string {
  if (Object.keys(scope).length === 0) return " (whatever the scope)";
  const beyond = Object.entries(scope).filter(([key]) => key !== "project");
  return beyond.length === 0 ? "" : ` (${beyond.map(([key, value]) => `${key}=${value}`).join(", ")})`;
}

const authorityOf = (installation: Installation, { project: slug }: ProjectOptions, command: string) =>
  projectAuthority(installation, { slug, command });

const projectOf = ({ scope }: Authority): string => scope.project ?? "";
