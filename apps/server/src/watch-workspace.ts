import { watch } from "node:fs";
import { join } from "node:path";
import { definitionsFolder, type WorkspaceRegistry } from "@wheelhouse/registry";
import type { Log } from "@wheelhouse/runtime";

/** Editors write a file in several steps. */
const quietMs = 100;

/**
 * Reads a workspace's definitions again whenever a file of them changes, and calls `onRead` when that is done. A folder
 * that is not there when the process begins is not watched.
 */
export function watchWorkspace(options: {
  workspaceDir: string;
  registry: WorkspaceRegistry;
  log: Log;
  onRead: () => Promise<void>;
}): Disposable {
  const { workspaceDir, registry, log, onRead } = options;
  let timer: NodeJS.Timeout | undefined;
  let reading = Promise.resolve();
  const read = async () => {
    await registry.reload();
    await onRead();
    const issues = registry.issues();
    log.info({ issues: issues.length }, "read the workspace's definitions again");
    for (const issue of issues)
      log.warn({ file: issue.file, line: issue.line }, `the workspace has a mistake: ${issue.message}`);
  };
  const again = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      reading = reading.then(read).catch((err: unknown) => log.error({ err }, "could not read the workspace again"));
    }, quietMs);
  };
  try {
    const watcher = watch(join(workspaceDir, definitionsFolder), { recursive: true }, again);
    watcher.on("error", (err) => log.warn({ err }, "the workspace is not watched any more"));
    return {
      [Symbol.dispose]() {
        clearTimeout(timer);
        watcher.close();
      },
    };
  } catch (err) {
    log.info({ err }, "the workspace has no definitions to watch");
    return { [Symbol.dispose]: () => undefined };
  }
}
