import type { Clock, McpServerDefinition, Scope } from "@wheelhouse/domain";
import { digestOf, scopeKeyOf } from "@wheelhouse/domain/digest";
import type { McpReadiness } from "../graph-host.ts";
import { type Listing, McpConnection, type McpDeps } from "./mcp-connection.ts";
import { type McpUnavailable, unavailable } from "./mcp-failure.ts";
import { McpObservations } from "./mcp-observations.ts";

export interface McpPoolOptions extends McpDeps {
  clock: Clock;
  /** Connections kept; those that runs hold stay beyond it. */
  maxConnections: number;
  /** A connection that no run holds is closed after this time, milliseconds. */
  idleMs: number;
  /** How long a listing and an observation count, milliseconds. */
  freshMs: number;
}

/** Which server, and on whose behalf: servers keep things by conversation, so that scopes never share one. */
export interface McpTarget {
  name: string;
  definition: McpServerDefinition;
  scope: Scope;
}

/** One server as a run uses it: the listing stays as it was when the run began. */
export interface HeldServer {
  listing: Listing;
  /** A live connection: another one when the first was lost. */
  connection(): Promise<McpConnection>;
  release(): void;
}

interface Entry {
  key: string;
  target: McpTarget;
  opening: Promise<{ connection: McpConnection; listing: Listing }> | null;
  listedAt: number;
  held: number;
  idle: NodeJS.Timeout | null;
}

/** The connections to servers, kept between runs. */
export class McpPool implements AsyncDisposable {
  readonly #options: McpPoolOptions;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  readonly #observations: McpObservations;
  #closed = false;

  constructor(options: McpPoolOptions) {
    this.#options = options;
    this.#observations = new McpObservations(options.clock, options.freshMs);
  }

  /** Connections that are open or being opened. */
  get size(): number {
    return this.#entries.size;
  }

  /** Takes hold of a server. Throws McpUnavailable. */
  async hold(target: McpTarget): Promise<HeldServer> {
    const key = keyOf(target);
    const entry = this.#entryOf(key, target);
    entry.held += 1;
    try {
      const { listing } = await this.#fresh(entry);
      this.#observations.ready(key, listing);
      let isHeld = true;
      return {
        listing,
        connection: async () => (await this.#open(entry)).connection,
        release: () => {
          if (isHeld) this.#release(entry);
          isHeld = false;
        },
      };
    } catch (error) {
      const failure = unavailable(error, null);
      this.#observations.failed(key, failure);
      this.#release(entry);
      throw failure;
    }
  }

  /** What is known of a server in this process, without calling it. */
  readiness(target: McpTarget): McpReadiness {
    return this.#observations.read(keyOf(target));
  }

  /** Calls the server and says what was seen. */
  async observe(target: McpTarget): Promise<McpReadiness> {
    const held = await this.hold(target).catch((_failure: McpUnavailable) => null);
    held?.release();
    return this.readiness(target);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#entries.values()].map((entry) => this.#close(entry)));
  }

  #entryOf(key: string, target: McpTarget): Entry {
    const entry = this.#entries.get(key) ?? { key, target, opening: null, listedAt: 0, held: 0, idle: null };
    if (entry.idle !== null) clearTimeout(entry.idle);
    entry.idle = null;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /** An open connection with a listing that still counts. */
  async #fresh(entry: Entry): Promise<{ connection: McpConnection; listing: Listing }> {
    const opened = await this.#open(entry);
    if (this.#now() - entry.listedAt < this.#options.freshMs) return opened;
    try {
      const listing = await opened.connection.list();
      entry.listedAt = this.#now();
      const renewed = { connection: opened.connection, listing };
      entry.opening = Promise.resolve(renewed);
      return renewed;
    } catch {
      // The server may have been started again: what it says to a new conversation decides.
      await opened.connection[Symbol.asyncDispose]();
      return this.#open(entry);
    }
  }

  async #open(entry: Entry): Promise<{ connection: McpConnection; listing: Listing }> {
    const known = entry.opening;
    if (known !== null) {
      const opened = await known;
      if (!opened.connection.closed) return opened;
      // Others may have found it closed as well, and have opened another.
      if (entry.opening !== known && entry.opening !== null) return entry.opening;
    }
    if (this.#closed) throw new Error("the connections are closed");
    const { name, definition } = entry.target;
    const opening = McpConnection.open(name, definition, this.#options);
    entry.opening = opening;
    entry.listedAt = this.#now();
    opening.catch(() => {
      // The next run tries again.
      if (entry.opening === opening) entry.opening = null;
    });
    return opening;
  }

  #release(entry: Entry): void {
    entry.held -= 1;
    if (entry.held > 0) return;
    if (entry.opening === null) this.#forget(entry);
    else {
      entry.idle = setTimeout(() => void this.#close(entry), this.#options.idleMs);
      entry.idle.unref();
    }
    for (const old of [...this.#entries.values()]) {
      if (this.#entries.size <= this.#options.maxConnections) break;
      if (old.held === 0) void this.#close(old);
    }
  }

  #forget(entry: Entry): void {
    if (entry.idle !== null) clearTimeout(entry.idle);
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
  }

  async #close(entry: Entry): Promise<void> {
    this.#forget(entry);
    const opened = await entry.opening?.catch(() => null);
    entry.opening = null;
    await opened?.connection[Symbol.asyncDispose]();
  }

  #now(): number {
    return this.#options.clock.now().getTime();
  }
}

const keyOf = ({ name, definition, scope }: McpTarget): string =>
  digestOf({ name, definition, scopeKey: scopeKeyOf(scope) });
