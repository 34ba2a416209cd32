import type { Clock } from "@wheelhouse/domain";
import type { McpReadiness } from "../graph-host.ts";
import type { Listing } from "./mcp-connection.ts";
import type { McpUnavailable } from "./mcp-failure.ts";

/** Observations kept; the oldest go first. */
const maxObservations = 1000;

type Observed = Extract<McpReadiness, { status: "READY" | "UNAVAILABLE" }>;

/** What was seen of servers, and until when it counts. Never a reason to let a call pass or not. */
export class McpObservations {
  readonly #clock: Clock;
  readonly #freshMs: number;
  readonly #seen = new Map<string, Observed>();

  constructor(clock: Clock, freshMs: number) {
    this.#clock = clock;
    this.#freshMs = freshMs;
  }

  ready(key: string, { tools, schemaDigest }: Listing): void {
    const toolNames = tools.map(({ name }) => name);
    this.#keep(key, { status: "READY", ...this.#times(), toolNames, schemaDigest });
  }

  failed(key: string, { category, message }: McpUnavailable): void {
    this.#keep(key, { status: "UNAVAILABLE", ...this.#times(), category, message });
  }

  read(key: string): McpReadiness {
    const seen = this.#seen.get(key);
    if (seen === undefined) return { status: "UNKNOWN", reason: "NOT_OBSERVED" };
    return seen.freshUntil > this.#clock.now() ? seen : { status: "UNKNOWN", reason: "STALE", last: seen };
  }

  #times(): Pick<Observed, "observedAt" | "freshUntil"> {
    const observedAt = this.#clock.now();
    return { observedAt, freshUntil: new Date(observedAt.getTime() + this.#freshMs) };
  }

  #keep(key: string, observed: Observed): void {
    this.#seen.delete(key);
    this.#seen.set(key, observed);
    const oldest = this.#seen.keys().next();
    if (this.#seen.size > maxObservations && oldest.done !== true) this.#seen.delete(oldest.value);
  }
}
