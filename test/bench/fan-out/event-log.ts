import type { StoredEvent } from "@wheelhouse/domain";
import type { EventStore, Storage } from "@wheelhouse/storage";

/** Events that a log keeps; the readers of the benchmark are never further behind. */
const kept = 64;

/** The logs of many sessions in memory: what fan-out reads when the database is not the question. */
export class EventLogs {
  readonly #logs = new Map<string, { events: StoredEvent[]; last: number }>();
  readonly #wakes = new Map<string, Set<() => void>>();
  readonly #projectId: string;

  constructor(projectId: string) {
    this.#projectId = projectId;
  }

  /** Appends one event, a phrase of a message as models bring them, and wakes who waits for it. */
  append(sessionId: string): StoredEvent {
    const log = this.#logs.get(sessionId) ?? { events: [], last: 0 };
    this.#logs.set(sessionId, log);
    log.last += 1;
    const event = phrase(this.#projectId, sessionId, log.last);
    log.events.push(event);
    if (log.events.length > kept) log.events.shift();
    for (const wake of this.#wakes.get(sessionId) ?? []) wake();
    return event;
  }

  onSession(sessionId: string, wake: () => void): () => void {
    const wakes = this.#wakes.get(sessionId) ?? new Set();
    this.#wakes.set(sessionId, wakes.add(wake));
    return () => wakes.delete(wake);
  }

  /** `storage` with its logs replaced by these. */
  within(storage: Storage): Storage {
    const read: EventStore["read"] = async (_authority, { sessionId, after, limit }) => {
      const log = this.#logs.get(sessionId) ?? { events: [], last: 0 };
      const events = log.events.filter((event) => event.sequence > after).slice(0, limit);
      return { events, scannedTo: events.at(-1)?.sequence ?? log.last, lastSequence: log.last, firstSequence: 1 };
    };
    return new Proxy(storage, {
      get: (target, name) => {
        if (name === "events") return { ...target.events, read };
        if (name === "wakeUps") return { ...target.wakeUps, onSession: this.onSession.bind(this) };
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }
}

const text = "The quick brown fox jumps over the lazy dog, and looks back at what it has done. ";

const phrase = (projectId: string, sessionId: string, sequence: number): StoredEvent => ({
  id: `01900000-0000-7000-8000-${String(sequence).padStart(12, "0")}`,
  projectId,
  sessionId,
  runId: "01900000-0000-7000-8000-00000000a001",
  taskId: "01900000-0000-7000-8000-00000000b001",
  stepId: null,
  sequence,
  type: "message.delta",
  visibility: "END_USER",
  payload: {
    messageId: "01900000-0000-7000-8000-00000000c001",
    role: "ASSISTANT",
    text,
    index: sequence * text.length,
  },
  at: new Date(1_800_000_000_000 + sequence),
});
