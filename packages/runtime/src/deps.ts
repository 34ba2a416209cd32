import type { ArtifactLimits, BodyStore, ObjectKeys } from "@wheelhouse/artifacts";
import type { Clock, NewId } from "@wheelhouse/domain";
import type { AgentRegistry } from "@wheelhouse/registry";
import type { Storage } from "@wheelhouse/storage";
import type { AgentCache } from "./agent-cache.ts";
import type { SessionTails } from "./event-tails.ts";
import type { GraphHost } from "./graph-host.ts";
import type { OutgoingHttp } from "./outgoing-http.ts";
import type { SecretBox } from "./secret-box.ts";
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
  /** Agents that were resolved lately. */
  agents: AgentCache;
  /** The keys that scopes of this installation may have; of two definitions, the one with the earlier key comes first. */
  scopeKeys: readonly string[];
  graphs: GraphHost;
  /** The shared readers of sessions that someone watches. */
  tails: SessionTails;
  /** The way out, for every address that others choose. */
  outgoing: OutgoingHttp;
  /** Encrypts what is secret before it is stored. */
  secrets: SecretBox;
  /** Where the bytes of artifacts are. */
  bodies: BodyStore;
  /** Under which keys. */
  objectKeys: ObjectKeys;
  artifactLimits: ArtifactLimits;
  clock: Clock;
  newId: NewId;
  log: Log;
  tunables: Tunables;
}
