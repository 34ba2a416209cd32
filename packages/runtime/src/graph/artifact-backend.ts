import { InMemoryStore } from "@langchain/langgraph";
import { type ArtifactKind, artifactPlace, artifactRoutes, Refusal } from "@wheelhouse/domain";
import {
  type BackendProtocolV2,
  type DeleteResult,
  type EditResult,
  type FileDownloadResponse,
  type FileInfo,
  type FileUploadResponse,
  type GlobResult,
  type GrepMatch,
  type GrepResult,
  type LsResult,
  type ReadRawResult,
  type ReadResult,
  StoreBackend,
  type WriteResult,
} from "deepagents";
import type { RunFile, RunFiles } from "../graph-host.ts";

/** What an agent reads at once, bytes: as much as Deep Agents hand a model of a picture, and search through on a disk. */
const maxReadBytes = 10 * 1024 * 1024;

/** What agents may do below a route, beside reading. Evidence stays: who is judged must not delete the judgement. */
const allowed = {
  ARTIFACT: { write: true, delete: true },
  FILE: { write: true, delete: true },
  MEMORY: { write: true, delete: true },
  CONTRACT: { write: true, delete: false },
  EVALUATION: { write: true, delete: false },
  POLICY: { write: false, delete: false },
  SCRATCH: { write: true, delete: true },
} as const satisfies Partial<Record<ArtifactKind, { write: boolean; delete: boolean }>>;

/** The kinds of artifacts that agents see as files. */
export type AgentFileKind = keyof typeof allowed;
export const agentFileKinds = Object.keys(allowed) as AgentFileKind[];

/**
 * The artifacts of one kind as the files of a Deep Agent. Mounted at the kind's route, so that its paths come without it.
 * What reading, editing and searching mean is left to Deep Agents' own backend, which is handed the files in question.
 */
export class ArtifactBackend implements BackendProtocolV2 {
  readonly #kind: AgentFileKind;
  readonly #root: string;
  readonly #files: () => RunFiles;

  /** `files` is asked whenever something is done: one backend serves the runs of all scopes. */
  constructor(kind: AgentFileKind, files: () => RunFiles) {
    this.#kind = kind;
    this.#root = `/${artifactRoutes[kind].route}`;
    this.#files = files;
  }

  ls(path: string): Promise<LsResult> {
    return orRefused(path, async () => {
      const { desk, sizes } = await this.#listed(path);
      const { files = [] } = await desk.backend.ls(path);
      return { files: files.map((info) => sized(info, sizes)) };
    });
  }

  glob(pattern: string, path = "/"): Promise<GlobResult> {
    return orRefused(path, async () => {
      const { desk, sizes } = await this.#listed(path);
      const { files = [], ...result } = await desk.backend.glob(pattern, path);
      return { ...result, files: files.map((info) => sized(info, sizes)) };
    });
  }

  read(path: string, offset?: number, limit?: number): Promise<ReadResult> {
    return orRefused(path, async () => {
      const found = await this.#desk(path);
      return found === null ? this.#missing(path) : found.desk.backend.read(path, offset, limit);
    });
  }

  readRaw(path: string): Promise<ReadRawResult> {
    return orRefused(path, async () => {
      const found = await this.#desk(path);
      return found === null ? this.#missing(path) : found.desk.backend.readRaw(path);
    });
  }

  /** Lines that contain `pattern` as it stands. Binary and very long files are left out. */
  grep(
    pattern: string,
    path: string | null = "/",
    glob: string | null = null,
    maxCount: number | null = null,
  ): Promise<GrepResult> {
    const below = path ?? "/";
    return orRefused(below, async () => {
      const matches: GrepMatch[] = [];
      for (const { key, file } of await this.#candidates(pattern, below, glob)) {
        const found = file.bytes > maxReadBytes ? null : await this.#desk(key);
        const more = await found?.desk.backend.grep(pattern, below, glob);
        matches.push(...(more?.matches ?? []));
        if (maxCount !== null && matches.length > maxCount)
          return { matches: matches.slice(0, maxCount), truncated: true };
      }
      return { matches };
    });
  }

  /** Makes a version, unless somebody else makes one at the same time. */
  write(path: string, content: string): Promise<WriteResult> {
    return orRefused(path, async () => {
      const place = this.#changeable(path);
      const latest = await this.#files().find(place);
      const desk = new Desk();
      await desk.backend.write(path, content);
      await this.#files().write(place, await desk.bytesOf(path), latest?.version ?? 0);
      return { path, filesUpdate: null };
    });
  }

  /** Replaces text in the version that is the latest one now; a version that comes in between is not lost, but told. */
  edit(path: string, oldString: string, newString: string, replaceAll?: boolean): Promise<EditResult> {
    return orRefused(path, async () => {
      const place = this.#changeable(path);
      const found = await this.#desk(path);
      if (found === null) return this.#missing(path);
      const result = await found.desk.backend.edit(path, oldString, newString, replaceAll);
      if (result.error !== undefined) return result;
      await this.#files().write(place, await found.desk.bytesOf(path), found.file.version);
      return result;
    });
  }

  /** Deletes a file, or everything below a folder. */
  delete(path: string): Promise<DeleteResult> {
    return orRefused(path, async () => {
      if (!allowed[this.#kind].delete) throw this.#forbidden("deleted");
      const place = this.#place(path.replace(/\/+$/, ""));
      const doomed: RunFile[] = [];
      for await (const file of this.#files().list(place))
        if (file.path === place || file.path.startsWith(`${place}/`)) doomed.push(file);
      for (const { path: each, version } of doomed) await this.#files().delete(each, version);
      return doomed.length === 0 ? this.#missing(path) : { path, filesUpdate: null };
    });
  }

  async uploadFiles(files: [string, Uint8Array][]): Promise<FileUploadResponse[]> {
    const answers: FileUploadResponse[] = [];
    for (const [path, body] of files) {
      const { error } = await orRefused<{ error?: string }>(path, async () => {
        const place = this.#changeable(path);
        const latest = await this.#files().find(place);
        await this.#files().write(place, body, latest?.version ?? 0);
        return {};
      });
      answers.push({ path, error: error === undefined ? null : "permission_denied" });
    }
    return answers;
  }

  async downloadFiles(paths: string[]): Promise<FileDownloadResponse[]> {
    const answers: FileDownloadResponse[] = [];
    for (const path of paths) {
      const found = await this.#files().read(this.#place(path), maxReadBytes);
      answers.push({ path, content: found?.body ?? null, error: found === null ? "file_not_found" : null });
    }
    return answers;
  }

  /** The files below a path without their bytes, and how many bytes they have. */
  async #listed(path: string): Promise<{ desk: Desk; sizes: Map<string, number> }> {
    const desk = new Desk();
    const sizes = new Map<string, number>();
    for await (const file of this.#files().list(this.#prefix(path))) {
      const key = file.path.slice(this.#root.length);
      sizes.set(key, file.bytes);
      await desk.lay(key, file, "");
    }
    return { desk, sizes };
  }

  /** The files that a search has to open: bodies are fetched one by one. */
  async #candidates(pattern: string, path: string, glob: string | null): Promise<{ key: string; file: RunFile }[]> {
    const files = new Map<string, RunFile>();
    const desk = new Desk();
    for await (const file of this.#files().list(this.#prefix(path))) {
      const key = file.path.slice(this.#root.length);
      files.set(key, file);
      // As if each were the pattern: what is found then is what the path and the glob mean.
      await desk.lay(key, file, pattern);
    }
    const { matches = [] } = await desk.backend.grep(pattern, path, glob);
    const keys = new Set(matches.map((match) => match.path));
    return [...files].flatMap(([key, file]) => (keys.has(key) ? [{ key, file }] : []));
  }

  async #desk(path: string): Promise<{ desk: Desk; file: RunFile } | null> {
    const found = await this.#files().read(this.#place(path), maxReadBytes);
    if (found === null) return null;
    const desk = new Desk();
    await desk.lay(path, found.file, contentOf(found.body, found.file.contentType));
    return { desk, file: found.file };
  }

  #place = (path: string): string => artifactPlace(this.#root + path).path;

  /** What the paths of a folder's files begin with; of a file, its path. */
  #prefix(path: string): string {
    const folder = path.replace(/\/+$/, "");
    return folder === "" ? `${this.#root}/` : this.#place(folder);
  }

  #changeable(path: string): string {
    const place = this.#place(path);
    if (!allowed[this.#kind].write) throw this.#forbidden("changed");
    return place;
  }

  #forbidden = (what: string): Refusal =>
    new Refusal("FORBIDDEN", `Files below ${this.#root}/ can be read and not ${what}.`);

  #missing = (path: string): { error: string } => ({ error: `File '${this.#root}${path}' not found` });
}

/** Files laid out in memory for Deep Agents' own backend. */
class Desk {
  readonly #store = new InMemoryStore();
  readonly #namespace = ["files"];
  readonly backend = new StoreBackend({ store: this.#store, namespace: this.#namespace, fileFormat: "v2" });

  async lay(key: string, file: RunFile, content: string | Uint8Array): Promise<void> {
    await this.#store.put(this.#namespace, key, {
      content,
      mimeType: typeof content === "string" ? textType(file.contentType) : binaryType(file.contentType),
      created_at: file.createdAt.toISOString(),
      modified_at: file.modifiedAt.toISOString(),
    });
  }

  async bytesOf(key: string): Promise<Uint8Array> {
    const content: unknown = (await this.#store.get(this.#namespace, key))?.value.content;
    if (content instanceof Uint8Array) return content;
    if (typeof content === "string") return new TextEncoder().encode(content);
    throw new Error("a file was written that is neither text nor bytes");
  }
}

const bare = (contentType: string): string => contentType.split(";")[0]?.trim() ?? "";

/** Types that Deep Agents take for text; all others they hand to the model as files. */
const isTextual = (type: string): boolean =>
  type.startsWith("text/") || ["application/json", "application/javascript", "image/svg+xml"].includes(type);
const textType = (contentType: string): string => (isTextual(bare(contentType)) ? bare(contentType) : "text/plain");
const binaryType = (contentType: string): string =>
  isTextual(bare(contentType)) ? "application/octet-stream" : bare(contentType);

/** Text where the bytes are text; pictures, sounds and documents are for models that take them. */
function contentOf(body: Uint8Array, contentType: string): string | Uint8Array {
  if (/^(audio|video)\/|^image\/(?!svg)|^application\/pdf/.test(contentType)) return body;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    return text.includes("\0") ? body : text;
  } catch {
    return body;
  }
}

const sized = (info: FileInfo, sizes: ReadonlyMap<string, number>): FileInfo =>
  info.is_dir === true ? info : { ...info, size: sizes.get(info.path) ?? 0 };

/** What a tool answers instead of failing: agents can choose another path, or read again what has changed. */
async function orRefused<T>(path: string, work: () => Promise<T>): Promise<T | { error: string }> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { error: wordsOf(error, path) };
  }
}

function wordsOf(refusal: Refusal, path: string): string {
  switch (refusal.code) {
    case "INVALID_INPUT":
      return `Error: the path '${path}' is not possible: ${refusal.issues.map(({ message }) => message).join("; ")}`;
    case "ARTIFACT_CONFLICT":
      return `Error: somebody else changed '${path}' at the same time, and nothing of yours was written. Read it again, then repeat your change.`;
    default:
      return `Error: ${refusal.message}`;
  }
}
