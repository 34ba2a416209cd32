import type { Clock, NewId } from "@wheelhouse/domain";
import type { AgentRegistry } from "@wheelhouse/registry";
import type { Storage } from "@wheelhouse/storage";
import type { SessionTails } from "./event-tails.ts";
import type { GraphHost } from "./graph-host.ts";
import type { Tunables } from "./tunables.ts";

/** A structural slice of a logger: message last, as pino has it. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What every use-case is given. Nothing in the runtime is created at import. */
export interface RuntimeDeps {
  storage: Storage;
  registry: AgentRegistry;
  graphs: GraphHost;
  /** The shared readers of sessions that someone watches. */
  tails: SessionTails;
  clock: Clock;
  newId: NewId;
  log: Log;
  tunables: Tunables;
}
