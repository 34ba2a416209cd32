import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, link, lstat, mkdir, open, readdir, realpath, rename, rm, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type BodyHead,
  type BodyStore,
  BodyStoreError,
  type ByteStream,
  bodyMissing,
  type ListedBody,
} from "../body-store.ts";
import { measured } from "../measure.ts";
import { checkedKey, stagingPrefix } from "../object-keys.ts";

export interface DirectoryOptions {
  /** Made when it is missing; belongs to the store alone. */
  folder: string;
}

/** Bytes read at once. */
const pieceBytes = 262_144;
const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : "";

/**
 * Bodies as files, for one machine. A body is written under a temporary name, synced, and renamed: a crash leaves the
 * temporary file or the whole body. Symbolic links are never followed, wherever in the path they stand.
 */
export async function openDirectoryStore({ folder }: DirectoryOptions): Promise<BodyStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const root = await realpath(folder);
  const pathOf = (key: string): string => join(root, checkedKey(key));
  const known = new Set<string>([root]);

  /** Makes the folders above a path; one that is a link, or a file, is refused. */
  async function makeFolder(path: string): Promise<void> {
    if (known.has(path)) return;
    await makeFolder(dirname(path));
    try {
      await mkdir(path, { mode: 0o700 });
      await syncFolder(dirname(path));
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
      if (!(await lstat(path)).isDirectory()) throw refusedLink();
    }
    known.add(path);
  }

  async function openBody(key: string): Promise<FileHandle> {
    const path = pathOf(key);
    try {
      // The last name is never followed; the folders above must be where they seem to be.
      if ((await realpath(dirname(path))) !== dirname(path)) throw refusedLink();
      const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
      if ((await handle.stat()).isFile()) return handle;
      await handle.close();
      throw refusedLink();
    } catch (error) {
      throw failure(error);
    }
  }

  return {
    kind: "directory",
    provesWrites: true,
    async put(source, keyOf, options) {
      const { body, measure } = measured(source, options);
      const temporary = pathOf(`${stagingPrefix}${randomUUID()}`);
      await writing(() => makeFolder(dirname(temporary)));
      const handle = await writing(() => open(temporary, "wx", 0o600));
      try {
        try {
          for await (const chunk of body) await writing(() => writeAll(handle, chunk));
          await writing(() => handle.sync());
        } finally {
          await handle.close();
        }
        const key = keyOf(measure.sha256);
        await writing(async () => {
          await makeFolder(dirname(pathOf(key)));
          await rename(temporary, pathOf(key));
          await syncFolder(dirname(pathOf(key)));
        });
        return { key, bytes: measure.bytes, sha256: measure.sha256, parts: null };
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
    async get(key) {
      const handle = await openBody(key);
      const { size } = await handle.stat();
      return { bytes: size, body: pieces(handle, 0, size) };
    },
    async getRange(key, { start, end }) {
      return pieces(await openBody(key), start, end + 1);
    },
    async head(key): Promise<BodyHead | null> {
      try {
        await using handle = await openBody(key);
        return { bytes: (await handle.stat()).size, sha256: null, parts: null };
      } catch (error) {
        if (error instanceof BodyStoreError && error.code === "BODY_MISSING") return null;
        throw error;
      }
    },
    async copy(from, to) {
      await using _ = await openBody(from);
      await guarded(async () => {
        await makeFolder(dirname(pathOf(to)));
        // A second name of the same file: bodies are never changed.
        await link(pathOf(from), pathOf(to)).catch((error: unknown) => {
          if (codeOf(error) !== "EEXIST") throw error;
        });
        await syncFolder(dirname(pathOf(to)));
      });
    },
    async delete(keys) {
      for (const key of keys)
        await guarded(async () => {
          await unlink(pathOf(key)).catch((error: unknown) => {
            if (codeOf(error) !== "ENOENT") throw error;
          });
        });
    },
    presign: async () => null,
    list: ({ after, limit }) => guarded(() => listFiles(root, after, limit)),
    abandonUploads: (before) => guarded(() => removeOlder(join(root, stagingPrefix), before)),
    check: () =>
      guarded(async () => {
        if (!(await lstat(root)).isDirectory()) throw refusedLink();
      }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  let offset = 0;
  while (offset < chunk.length) offset += (await handle.write(chunk, offset)).bytesWritten;
}

/** Bytes `from` up to `to`. Ends early when the file does; closes it in any case. */
async function* pieces(handle: FileHandle, from: number, to: number): ByteStream {
  try {
    for (let at = from; at < to; ) {
      const piece = new Uint8Array(Math.min(pieceBytes, to - at));
      const { bytesRead } = await handle.read(piece, 0, piece.length, at);
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
      at += bytesRead;
    }
  } catch (error) {
    throw failure(error);
  } finally {
    await handle.close();
  }
}

/** A name is durable when its folder is. */
async function syncFolder(path: string): Promise<void> {
  await using handle = await open(path, constants.O_RDONLY);
  await handle.sync();
}

async function listFiles(root: string, after: string | null, limit: number): Promise<ListedBody[]> {
  const found: ListedBody[] = [];
  async function walk(prefix: string): Promise<void> {
    const entries = await readdir(join(root, prefix), { withFileTypes: true });
    // The order of whole keys: a folder sorts by its name and the slash behind it.
    const keys = entries.map((entry) => ({ entry, key: `${prefix}${entry.name}${entry.isDirectory() ? "/" : ""}` }));
    for (const { entry, key } of keys.sort((a, b) => (a.key < b.key ? -1 : 1))) {
      if (found.length >= limit) return;
      if (key === stagingPrefix) continue;
      if (entry.isDirectory()) {
        // Everything in it lies before `after` when the folder does and is not on the way there.
        if (after === null || key > after || after.startsWith(key)) await walk(key);
      } else if (entry.isFile() && (after === null || key > after)) {
        const { size, mtime } = await lstat(join(root, key));
        found.push({ key, bytes: size, modifiedAt: mtime });
      }
    }
  }
  await walk("");
  return found;
}

async function removeOlder(folder: string, before: Date): Promise<number> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
  let removed = 0;
  for (const name of names) {
    const path = join(folder, name);
    if ((await lstat(path)).mtime >= before) continue;
    await rm(path, { force: true });
    removed++;
  }
  return removed;
}

const refusedLink = (): BodyStoreError =>
  new BodyStoreError("STORE_UNAVAILABLE", "The folder of bodies holds what the store did not put there", "ELINK");

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failure(error);
  }
}

/** The same while a body is written: what is missing then is no body but the folder. */
async function writing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const told = failure(error);
    throw told.code === "BODY_MISSING" ? unusable(codeOf(error)) : told;
  }
}

const unusable = (code: string): BodyStoreError =>
  new BodyStoreError("STORE_UNAVAILABLE", "The folder of bodies could not be used", code || null);

function failure(error: unknown): BodyStoreError {
  if (error instanceof BodyStoreError) return error;
  const code = codeOf(error);
  if (code === "ENOENT" || code === "ENOTDIR") return bodyMissing();
  if (code === "ELOOP") return refusedLink();
  return unusable(code);
}
