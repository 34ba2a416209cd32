import { type ConfigKind, checkDefinition, EntityName, pathKeys } from "@wheelhouse/domain";
import type { RegistryIssue } from "./registry-issue.ts";
import type { Environment } from "./substitute-variables.ts";
import { readYaml, splitFrontMatter, type YamlText } from "./yaml-text.ts";

/** A definition that stands in a file. */
export interface FileDefinition {
  kind: ConfigKind;
  name: string;
  /** Relative to the folder that was read, with forward slashes. */
  file: string;
  /** `enabled: false` beside the fields makes a definition that is kept and not used. */
  enabled: boolean;
  /** As it was written: what it leaves to defaults is absent. */
  written: Record<string, unknown>;
  /** The line of a path such as `tools[2]`; null when it is not in the file. */
  lineOf(path: string): number | null;
}

export interface Parsed {
  definitions: FileDefinition[];
  issues: RegistryIssue[];
}

interface TextFile {
  file: string;
  text: string;
  env: Environment;
}

const isIssue = (read: YamlText | RegistryIssue): read is RegistryIssue => "message" in read;
const failed = (...issues: RegistryIssue[]): Parsed => ({ definitions: [], issues });

/** A file that is one definition: YAML, or for agents Markdown whose body is the prompt. */
export function parseDefinition(kind: ConfigKind, name: string, { file, text, env }: TextFile): Parsed {
  const parts = file.endsWith(".md") ? splitFrontMatter(text) : { yaml: text, firstLine: 1, body: "" };
  if (parts === null)
    return failed({
      ...{ file, line: 1, message: "begin with front matter: a line ---, the fields in YAML, a line ---, the prompt" },
    });
  const read = readYaml({ file, ...parts, env });
  if (isIssue(read)) return failed(read);
  const { value } = read;
  if (parts.body.trim() !== "") {
    if (value.systemPrompt !== undefined)
      return failed({
        ...{ file, line: read.lineOf(["systemPrompt"]) },
        message: "systemPrompt: the body of the file is the prompt already",
      });
    value.systemPrompt = parts.body.trim();
  }
  return checked({ kind, name, file, at: [] }, value, read);
}

/** A file that holds several definitions of one kind, by name. */
export function parseDefinitions(kind: ConfigKind, { file, text, env }: TextFile): Parsed {
  const read = readYaml({ file, yaml: text, firstLine: 1, env });
  if (isIssue(read)) return failed(read);
  const parsed = Object.entries(read.value).map(([key, value]): Parsed => {
    const name = EntityName.safeParse(key);
    const refuse = (message: string) => failed({ file, line: read.lineOf([key]) ?? 1, message: `${key}: ${message}` });
    if (!name.success) return refuse(name.error.issues[0]?.message ?? "is not a name");
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return refuse("must be a mapping of fields");
    return checked({ kind, name: key, file, at: [key] }, { ...value }, read);
  });
  return { definitions: parsed.flatMap((one) => one.definitions), issues: parsed.flatMap((one) => one.issues) };
}

/** A skill's folder: SKILL.md, whose front matter describes it, and the files beside it, by their path in the folder. */
export function parseSkill(name: string, folder: string, files: ReadonlyMap<string, string>): Parsed {
  const file = `${folder}/SKILL.md`;
  const text = files.get("SKILL.md") ?? "";
  const head = splitFrontMatter(text);
  if (head === null)
    return failed({ file, line: 1, message: "begin with front matter: a line ---, name and description, a line ---" });
  // The text is the skill's own, and no template.
  const read = readYaml({ file, yaml: head.yaml, firstLine: head.firstLine, env: {} });
  if (isIssue(read)) return failed(read);
  const { name: said = name, description, enabled } = read.value;
  if (said !== name)
    return failed({ file, line: read.lineOf(["name"]), message: `name: the folder's name is the skill's: ${name}` });
  const content = files.size === 1 ? { body: text } : { files: Object.fromEntries(files) };
  const value = { description, ...content, ...(enabled === undefined ? {} : { enabled }) };
  return checked({ kind: "SKILL", name, file, at: [] }, value, read);
}

function checked(
  { kind, name, file, at }: { kind: ConfigKind; name: string; file: string; at: readonly string[] },
  { enabled = true, ...written }: Record<string, unknown>,
  read: YamlText,
): Parsed {
  const lineOf = (path: string): number | null => read.lineOf([...at, ...pathKeys(path)]);
  const issue = (path: string, message: string): RegistryIssue => {
    const where = [...at, ...(path === "" ? [] : [path])].join(".");
    return { file, line: lineOf(path) ?? 1, message: where === "" ? message : `${where}: ${message}` };
  };
  if (typeof enabled !== "boolean") return failed(issue("enabled", "must be true or false"));
  if (kind === "AGENT" && typeof written.model === "string") written.model = modelOf(written.model);
  const { issues } = checkDefinition(kind, written);
  if (issues.length > 0) return failed(...issues.map(({ path, message }) => issue(path, message)));
  return { definitions: [{ kind, name, file, enabled, written, lineOf }], issues: [] };
}

/** `provider/model`, the short form of a model; what has no slash is left for the schema to refuse. */
function modelOf(text: string): unknown {
  const slash = text.indexOf("/");
  return slash < 0 ? { provider: text } : { provider: text.slice(0, slash), model: text.slice(slash + 1) };
}
