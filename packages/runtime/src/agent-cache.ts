import type { Clock } from "@wheelhouse/domain";
import type { AgentRegistry, Assembled } from "@wheelhouse/registry";
import type { Storage } from "@wheelhouse/storage";

/** Agents kept of one project; more begin anew. An agent with everything it names is some kilobytes. */
const maxKept = 2_000;

/** What a name means at a scope: an agent, what is wrong with it, or nothing. */
export type ResolvedName = Assembled | null;

interface Kept {
  /** Where the project's changes stood when `names` was begun; null before the first look. */
  position: number | null;
  checkedAt: number;
  names: Map<string, ResolvedName>;
  /** Grows whenever what was known is forgotten: what was being read meanwhile is not kept. */
  generation: number;
  stopListening: () => void;
}

/** The agents that were resolved lately, of every project, until their configuration changes. */
export interface AgentCache extends Disposable {
  /** What was resolved for `key`, or what `resolve` finds now. */
  get(projectId: string, key: string, resolve: () => Promise<ResolvedName>): Promise<ResolvedName>;
}

/**
 * Forgets a project's agents when a change of its configuration is heard of: at once in the process that wrote it and, by
 * its wake-up, in the others. Wake-ups may be lost, so what is kept is not used for longer than `checkMs` without asking
 * the database whether anything changed.
 */
export function openAgentCache(options: {
  storage: { config: Pick<Storage["config"], "position">; wakeUps: Pick<Storage["wakeUps"], "onConfig"> };
  registry: Pick<AgentRegistry, "generation">;
  clock: Clock;
  checkMs: number;
}): AgentCache {
  const { storage, registry, clock, checkMs } = options;
  const projects = new Map<string, Kept>();
  let workspace = registry.generation;

  const forget = (kept: Kept): void => {
    kept.names = new Map();
    kept.generation++;
  };

  const open = (projectId: string): Kept => {
    const known = projects.get(projectId);
    if (known !== undefined) return known;
    const kept: Kept = {
      position: null,
      checkedAt: 0,
      names: new Map(),
      generation: 0,
      stopListening: () => undefined,
    };
    kept.stopListening = storage.wakeUps.onConfig(projectId, () => forget(kept));
    projects.set(projectId, kept);
    return kept;
  };

  /** Asks where the changes stand, unless it was asked a moment ago. */
  async function check(projectId: string, kept: Kept): Promise<void> {
    const now = clock.now().getTime();
    // A clock that was set back must not make old agents young.
    if (kept.position !== null && Math.abs(now - kept.checkedAt) < checkMs) return;
    const position = await storage.config.position(projectId);
    if (kept.position !== position) forget(kept);
    kept.position = position;
    kept.checkedAt = now;
  }

  return {
    async get(projectId, key, resolve) {
      const kept = open(projectId);
      if (workspace !== registry.generation) {
        workspace = registry.generation;
        for (const each of projects.values()) forget(each);
      }
      await check(projectId, kept);
      const known = kept.names.get(key);
      if (known !== undefined) return known;
      const { generation } = kept;
      const resolved = await resolve();
      if (kept.generation !== generation) return resolved;
      if (kept.names.size >= maxKept) kept.names.clear();
      kept.names.set(key, resolved);
      return resolved;
    },
    [Symbol.dispose]() {
      for (const { stopListening } of projects.values()) stopListening();
      projects.clear();
    },
  };
}
