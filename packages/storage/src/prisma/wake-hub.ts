import type { WakeUps } from "../port.ts";

/** What a commit has to tell: ids only, as everything else is read from the database. */
export interface Hint {
  sessions: readonly { projectId: string; sessionId: string }[];
  runnable: boolean;
  cancelled: readonly string[];
  /** A webhook may have something to deliver. */
  deliveries?: boolean | undefined;
  /** Projects whose configuration changed. */
  configs?: readonly string[] | undefined;
}

export const noHint: Hint = { sessions: [], runnable: false, cancelled: [] };

/** Delivers hints to the listeners of this process. A listener that throws is reported and disturbs no other. */
export class WakeHub implements WakeUps {
  readonly #sessions = new Map<string, Set<() => void>>();
  readonly #projects = new Map<string, Set<(sessionId: string) => void>>();
  readonly #runnable = new Set<() => void>();
  readonly #cancelled = new Set<(runId: string) => void>();
  readonly #deliveries = new Set<() => void>();
  readonly #configs = new Map<string, Set<() => void>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  onSession(sessionId: string, wake: () => void): () => void {
    return addTo(this.#sessions, sessionId, wake);
  }

  onProject(projectId: string, wake: (sessionId: string) => void): () => void {
    return addTo(this.#projects, projectId, wake);
  }

  onRunnable(wake: () => void): () => void {
    this.#runnable.add(wake);
    return () => void this.#runnable.delete(wake);
  }

  onCancelled(wake: (runId: string) => void): () => void {
    this.#cancelled.add(wake);
    return () => void this.#cancelled.delete(wake);
  }

  onDeliveries(wake: () => void): () => void {
    this.#deliveries.add(wake);
    return () => void this.#deliveries.delete(wake);
  }

  onConfig(projectId: string, wake: () => void): () => void {
    return addTo(this.#configs, projectId, wake);
  }

  deliver(hint: Hint): void {
    for (const { projectId, sessionId } of hint.sessions) {
      for (const wake of this.#sessions.get(sessionId) ?? []) this.#call(wake);
      for (const wake of this.#projects.get(projectId) ?? []) this.#call(() => wake(sessionId));
    }
    if (hint.runnable) for (const wake of this.#runnable) this.#call(wake);
    if (hint.deliveries) for (const wake of this.#deliveries) this.#call(wake);
    for (const projectId of hint.configs ?? []) for (const wake of this.#configs.get(projectId) ?? []) this.#call(wake);
    for (const runId of hint.cancelled) for (const wake of this.#cancelled) this.#call(() => wake(runId));
  }

  /** Hints may have been lost: everybody who waits for a session, for work or for configuration looks once. */
  wakeEverybody(): void {
    for (const listeners of this.#sessions.values()) for (const wake of listeners) this.#call(wake);
    for (const wake of this.#runnable) this.#call(wake);
    for (const wake of this.#deliveries) this.#call(wake);
    for (const listeners of this.#configs.values()) for (const wake of listeners) this.#call(wake);
  }

  /** How many listeners there are, for tests that look for leaks. */
  get size(): number {
    const count = (map: Map<string, Set<unknown>>) => [...map.values()].reduce((sum, set) => sum + set.size, 0);
    return (
      count(this.#sessions) +
      count(this.#projects) +
      count(this.#configs) +
      this.#runnable.size +
      this.#cancelled.size +
      this.#deliveries.size
    );
  }

  #call(wake: () => void): void {
    try {
      wake();
    } catch (error) {
      this.#onError(error);
    }
  }
}

function addTo<T>(map: Map<string, Set<T>>, key: string, listener: T): () => void {
  const listeners = map.get(key) ?? new Set<T>();
  map.set(key, listeners.add(listener));
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && map.get(key) === listeners) map.delete(key);
  };
}
