import { type ConfigKind, canonicalJson } from "@wheelhouse/domain";
import { Document, Scalar, visit } from "yaml";
import { type Parsed, parseDefinition, parseSkill } from "./parse-definition.ts";
import { defaultsFile, definitionFolders, definitionLists } from "./read-definitions.ts";

/** A definition to write. */
export interface WritableDefinition {
  kind: ConfigKind;
  name: string;
  definition: Record<string, unknown>;
  enabled: boolean;
}

/**
 * The files that say these definitions, by their path in a folder that `readDefinitions` reads. What is read from them is
 * exactly what was written. Each kind and name may be there once.
 */
export function definitionFiles(definitions: readonly WritableDefinition[]): Map<string, string> {
  const files = new Map<string, string>();
  for (const [folder, kind] of Object.entries(definitionFolders))
    for (const one of definitions.filter((each) => each.kind === kind))
      for (const [path, text] of ownFiles(folder, one)) files.set(path, text);
  for (const [file, kind] of Object.entries(definitionLists)) {
    const list = definitions.filter((each) => each.kind === kind);
    if (list.length > 0) files.set(file, yamlOf(Object.fromEntries(list.map((one) => [one.name, fieldsOf(one)]))));
  }
  const defaults = definitions.find(({ kind }) => kind === "DEFAULTS");
  if (defaults !== undefined) files.set(defaultsFile, yamlOf(fieldsOf(defaults)));
  return files;
}

/** The form that people like to read, when it says the same; else YAML, which always does. */
function ownFiles(folder: string, one: WritableDefinition): Map<string, string> {
  const path = `${folder}/${one.name}`;
  const pleasant = one.kind === "AGENT" ? promptFile(path, one) : one.kind === "SKILL" ? skillFiles(path, one) : null;
  if (pleasant !== null && says(pleasant.parsed(), one)) return pleasant.files;
  return new Map([[`${path}.yaml`, yamlOf(fieldsOf(one))]]);
}

interface Pleasant {
  files: Map<string, string>;
  parsed: () => Parsed;
}

function promptFile(path: string, one: WritableDefinition): Pleasant | null {
  const { systemPrompt, ...head } = fieldsOf(one);
  if (typeof systemPrompt !== "string") return null;
  const file = `${path}.md`;
  const text = `---\n${Object.keys(head).length === 0 ? "" : yamlOf(head)}---\n\n${systemPrompt}\n`;
  return { files: new Map([[file, text]]), parsed: () => parseDefinition("AGENT", one.name, { file, text, env: {} }) };
}

function skillFiles(path: string, one: WritableDefinition): Pleasant | null {
  const { body, files } = one.definition;
  const own = typeof body === "string" ? { "SKILL.md": body } : files;
  if (typeof own !== "object" || own === null) return null;
  const texts = new Map(
    Object.entries(own).flatMap(([name, text]) => (typeof text === "string" ? [[name, text]] : [])),
  );
  return {
    files: new Map([...texts].map(([name, text]) => [`${path}/${name}`, text])),
    parsed: () => parseSkill(one.name, path, texts),
  };
}

function says({ definitions }: Parsed, { definition, enabled }: WritableDefinition): boolean {
  const [read] = definitions;
  return read?.enabled === enabled && canonicalJson(read.written) === canonicalJson(definition);
}

const fieldsOf = ({ definition, enabled }: WritableDefinition): Record<string, unknown> => ({
  ...(enabled ? {} : { enabled }),
  ...definition,
});

/** YAML of a JSON value, in which no text is taken for a variable. */
export function yamlOf(value: Record<string, unknown>): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(key, node) {
      if (key === "key" || typeof node.value !== "string" || !node.value.includes("${")) return;
      node.value = node.value.replaceAll("${", () => "$${");
      // A plain one could become a number when its variables are filled in.
      node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ lineWidth: 0 });
}
