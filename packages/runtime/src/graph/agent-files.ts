import { InMemoryStore } from "@langchain/langgraph";
import { artifactRoutes, type Manifest, type ResolvedAgentDefinition, type SkillDefinition } from "@wheelhouse/domain";
import { type BackendProtocolV2, CompositeBackend, StateBackend, StoreBackend } from "deepagents";
import { ArtifactBackend, agentFileKinds } from "./artifact-backend.ts";
import { RunRefusal } from "./classify-failure.ts";
import { filesOfRun } from "./durable-files.ts";

/** Where agents find their skills. */
const skillsFolder = "/skills/";

type Skills = NonNullable<Manifest["skills"]>;

/**
 * The files that a Deep Agent and its subagents work with: below the routes of artifacts they are durable and of the
 * scope; all others belong to the conversation.
 */
export async function agentFiles(skills: Skills): Promise<BackendProtocolV2> {
  const durable = agentFileKinds.map((kind) => [
    `/${artifactRoutes[kind].route}/`,
    new ArtifactBackend(kind, filesOfRun),
  ]);
  return new CompositeBackend(new ConversationFiles(), {
    ...Object.fromEntries(durable),
    [skillsFolder]: await skillFiles(skills),
  });
}

/** Refuses to write at paths that only look as if they led to a durable place: the file would be gone with the conversation. */
class ConversationFiles extends StateBackend {
  override write(path: string, content: string) {
    const names = path.split("/");
    const isPlain = names.shift() === "" && names.every((name) => name !== "" && name !== "." && name !== "..");
    if (isPlain && !path.includes("\0")) return super.write(path, content);
    return {
      error: `Error: the path '${path.replaceAll("\0", "?")}' is not possible: it must begin with one / and have no empty name, "." or ".." in it`,
    };
  }
}

/** The folders of an agent's skills, in the order in which it names them. Throws a RunRefusal when one is not there. */
export const skillFolders = ({ skills: names }: Pick<ResolvedAgentDefinition, "skills">, skills: Skills): string[] =>
  names.map((name) => {
    const skill = Object.hasOwn(skills, name) ? skills[name] : undefined;
    if (skill === undefined) throw new RunRefusal("CONFIG_INVALID", `The skill "${name}" is not defined.`);
    if (skill.path !== undefined)
      throw new RunRefusal(
        "CONFIG_INVALID",
        `The skill "${name}" lies in ${skill.path}, in a sandbox, and this installation has none.`,
      );
    return `${skillsFolder}${name}/`;
  });

async function skillFiles(skills: Skills): Promise<BackendProtocolV2> {
  const store = new InMemoryStore();
  const namespace = ["skills"];
  const at = new Date(0).toISOString();
  for (const [name, skill] of Object.entries(skills))
    for (const [path, content] of Object.entries(filesOf(name, skill)))
      await store.put(namespace, `/${name}/${path}`, {
        content,
        mimeType: "text/markdown",
        created_at: at,
        modified_at: at,
      });
  return new ReadOnlyFiles({ store, namespace, fileFormat: "v2" });
}

/** Many runs share them, of all scopes. */
class ReadOnlyFiles extends StoreBackend {
  override async write(path: string) {
    return { error: refusedChange(path) };
  }

  override async edit(path: string) {
    return { error: refusedChange(path) };
  }

  override async delete(path: string) {
    return { error: refusedChange(path) };
  }

  override async uploadFiles(files: [string, Uint8Array][]) {
    return files.map(([path]) => ({ path, error: "permission_denied" as const }));
  }
}

const refusedChange = (path: string): string =>
  `Skills can be read and not changed: ${skillsFolder.slice(0, -1)}${path}`;

function filesOf(name: string, { description, body, files = {} }: SkillDefinition): Record<string, string> {
  const text = body ?? files["SKILL.md"];
  if (text === undefined) return {};
  return { ...files, "SKILL.md": withHead(name, description, text) };
}

/** The name and the description of the definition are what agents are told, whatever the text's own head says. */
function withHead(name: string, description: string, text: string): string {
  const bare = text.replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---[ \t]*(\r?\n|$)/, "");
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${bare.trimStart()}`;
}
