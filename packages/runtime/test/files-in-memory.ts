import { artifactPlace, Refusal } from "@wheelhouse/domain";
import type { RunFile, RunFiles } from "../src/graph-host.ts";

/** The durable files of one scope, for graphs that run without a database. `raced` comes in before the next write. */
export interface FilesInMemory extends RunFiles {
  raced(path: string, text: string): void;
}

export function filesInMemory(): FilesInMemory {
  const kept = new Map<string, { file: RunFile; body: Uint8Array }>();
  let before: (() => void) | null = null;
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
    before?.();
    before = null;
    if ((kept.get(path)?.file.version ?? 0) !== version) throw new Refusal("ARTIFACT_CONFLICT", "another version");
  };
  return {
    async *list(prefix) {
      for (const [path, { file }] of [...kept].sort()) if (path.startsWith(prefix)) yield file;
    },
    find: async (path) => kept.get(artifactPlace(path).path)?.file ?? null,
    read: async (path) => kept.get(artifactPlace(path).path) ?? null,
    async write(path, body, expectedVersion) {
      expect(path, expectedVersion);
      put(path, body);
    },
    async delete(path, expectedVersion) {
      expect(path, expectedVersion);
      kept.delete(path);
    },
    raced(path, text) {
      before = () => put(path, new TextEncoder().encode(text));
    },
  };
}
