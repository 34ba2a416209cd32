import { artifactPlace, Refusal } from "@wheelhouse/domain";
import type { RunFile, RunFiles } from "../src/graph-host.ts";

/** The durable files of one scope, for graphs that run without a database. `raced` comes in right behind the next reading. */
export interface FilesInMemory extends RunFiles {
  raced(path: string, text: string): void;
}

export function filesInMemory(): FilesInMemory {
  const kept = new Map<string, { file: RunFile; body: Uint8Array }>();
  let behind: (() => void) | null = null;
  const put = (path: string, body: Uint8Array): void => {
    const earlier = kept.get(path)?.file;
    const at = new Date();
    const version = (earlier?.version ?? 0) + 1;
    const contentType = path.endsWith(".md") ? "text/markdown" : path.endsWith(".png") ? "image/png" : "text/plain";
    const file = {
      path,
      version,
      bytes: body.length,
      contentType,
      createdAt: earlier?.createdAt ?? at,
      modifiedAt: at,
    };
    kept.set(path, { file, body });
  };
  const expect = (path: string, version: number): void => {
    if ((kept.get(path)?.file.version ?? 0) !== version) throw new Refusal("ARTIFACT_CONFLICT", "another version");
  };
  const seen = (path: string): { file: RunFile; body: Uint8Array } | null => {
    const found = kept.get(artifactPlace(path).path) ?? null;
    behind?.();
    behind = null;
    return found;
  };
  return {
    async *list(prefix) {
      for (const [path, { file }] of [...kept].sort()) if (path.startsWith(prefix)) yield file;
    },
    find: async (path) => seen(path)?.file ?? null,
    read: async (path) => seen(path),
    async write(path, body, expectedVersion) {
      expect(path, expectedVersion);
      put(path, body);
    },
    async delete(path, expectedVersion) {
      expect(path, expectedVersion);
      kept.delete(path);
    },
    raced(path, text) {
      behind = () => put(path, new TextEncoder().encode(text));
    },
  };
}
