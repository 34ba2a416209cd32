import type { Authority } from "@wheelhouse/domain";
import type { RuntimeDeps } from "./deps.ts";
import { type Releasable, releasable } from "./releasable.ts";

/** A reason to read a list of sessions again. */
export interface SessionsChanged {
  /** Ids of the project's sessions that changed; empty when the list should be read because time has passed. */
  sessionIds: readonly string[];
}

/**
 * Says when a list of the project's sessions should be read again: at once, after changes (those that come together are
 * one), and after a silence in which a wake-up may have been lost. Ids are of every scope of the project and must not
 * reach a caller: whoever is told reads by their own authority.
 */
export function watchSessions(
  deps: Pick<RuntimeDeps, "storage" | "tunables">,
  authority: Authority,
): Releasable<SessionsChanged> {
  return releasable((signal) => changes(deps, authority, signal));
}

async function* changes(
  { storage, tunables }: Pick<RuntimeDeps, "storage" | "tunables">,
  authority: Authority,
  signal: AbortSignal,
): AsyncGenerator<SessionsChanged, void> {
  let changed = new Set<string>();
  let resume: (() => void) | null = null;
  let waitsForChange = false;
  const stopListening = storage.wakeUps.onProject(authority.projectId, (sessionId) => {
    changed.add(sessionId);
    if (waitsForChange) resume?.();
  });
  signal.addEventListener("abort", () => resume?.(), { once: true });
  /** Until the time is over, the consumer leaves, or something changes when that is waited for. */
  const pause = async (ms: number, untilChange: boolean): Promise<void> => {
    if (signal.aborted || (untilChange && changed.size > 0)) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      resume = resolve;
      waitsForChange = untilChange;
      timer = setTimeout(resolve, ms);
    });
    resume = null;
    clearTimeout(timer);
  };
  try {
    yield { sessionIds: [] };
    while (!signal.aborted) {
      await pause(tunables.listPollMs, true);
      if (changed.size > 0) await pause(tunables.listDebounceMs, false);
      if (signal.aborted) return;
      const sessionIds = [...changed];
      changed = new Set();
      yield { sessionIds };
    }
  } finally {
    stopListening();
  }
}
