import { type Authority, configCursor, positionOfConfigCursor, Refusal } from "@wheelhouse/domain";
import type { ConfigChangeRecord } from "@wheelhouse/storage";
import { openBell } from "./bell.ts";
import type { RuntimeDeps } from "./deps.ts";
import { type Releasable, releasable } from "./releasable.ts";

/** Changes of a project's configuration that come together, and where to go on behind them. */
export interface ConfigChangesFrame {
  changes: ConfigChangeRecord[];
  endCursor: string;
  /** Whether everything that was there has been told. */
  caughtUp: boolean;
}

type WatchDeps = Pick<RuntimeDeps, "storage" | "tunables">;

/**
 * Follows the changes of a project's configuration that the caller may read: what there is behind `after`, then what
 * comes. Without a cursor it begins with what comes. Every listener has its own cursor; nobody takes a change from
 * another. Refuses with RESYNC when the cursor is farther than the changes ever were.
 */
export async function watchConfigChanges(
  deps: WatchDeps,
  authority: Authority,
  input: { after?: string | null | undefined },
): Promise<Releasable<ConfigChangesFrame>> {
  const { projectId } = authority;
  const after =
    input.after == null
      ? await deps.storage.config.position(projectId)
      : positionOfConfigCursor(projectId, input.after);
  return releasable((signal) => frames(deps, authority, { after, signal }));
}

async function* frames(
  { storage, tunables }: WatchDeps,
  authority: Authority,
  { after, signal }: { after: number; signal: AbortSignal },
): AsyncGenerator<ConfigChangesFrame, void> {
  const { projectId } = authority;
  using bell = openBell((ring) => {
    signal.addEventListener("abort", ring, { once: true });
    return storage.wakeUps.onConfig(projectId, ring);
  });
  let place = after;
  for (let first = true; !signal.aborted; first = false) {
    bell.quiet();
    const page = await storage.config.changes(authority, { after: place, limit: tunables.eventPage });
    if (page.ahead) throw setBack(projectId, await storage.config.position(projectId));
    place = page.scannedTo;
    const { changes, caughtUp } = page;
    if (first || changes.length > 0) yield { changes, endCursor: configCursor(projectId, place), caughtUp };
    // A wake-up may have been lost.
    if (caughtUp) await within(tunables.tailPollMs, bell.rung());
  }
}

const setBack = (projectId: string, position: number): Refusal =>
  new Refusal("RESYNC", "The configuration has never been as far as this cursor; read it anew and go on from here", {
    detail: { cursor: configCursor(projectId, position), reason: "SET_BACK" },
  });

/** Until `rung` resolves, or the time is over. */
async function within(ms: number, rung: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([rung, over]);
  clearTimeout(timer);
}
