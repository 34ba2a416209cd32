import type { Actor } from "@wheelhouse/domain";
import type { StreamProgress } from "@wheelhouse/runtime";

/** How a stream's frames reach their reader. */
export interface Transport {
  kind: "WEBSOCKET" | "EVENT_STREAM";
  /** Bytes that were handed to the connection and not to the network yet; null where nobody counts them. */
  waitingBytes(): number | null;
}

/** What a stream reads, for whoever looks at the list of subscribers. */
export interface SubscriptionTarget {
  /** The subscription's field. */
  field: string;
  /** The global id of the session or run; null for what is of the whole project. */
  target: string | null;
  /** Where it stands; absent for streams without a cursor. */
  progress?: () => StreamProgress;
}

/** One stream that is open in this process. */
export interface Subscriber extends SubscriptionTarget {
  readonly id: string;
  readonly projectId: string;
  readonly actor: Actor;
  readonly transport: Transport;
  readonly since: Date;
  framesSent: number;
  lastFrameAt: Date | null;
  /** Ends the stream with RESYNC: a reader that wants to go on comes back with its cursor. */
  close(): void;
}

/** The streams that are open in this process. */
export class Subscribers {
  readonly #open = new Map<string, Subscriber>();

  /** Adds a stream; returns the function that takes it out again. */
  add(subscriber: Subscriber): () => void {
    this.#open.set(subscriber.id, subscriber);
    return () => void this.#open.delete(subscriber.id);
  }

  /** Those of a project, the oldest first. */
  of(projectId: string): Subscriber[] {
    return [...this.#open.values()].filter((subscriber) => subscriber.projectId === projectId);
  }

  get size(): number {
    return this.#open.size;
  }
}
