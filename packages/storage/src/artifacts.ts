import type { ArtifactKind, Authority, bodyStores, EventVisibility, Scope } from "@wheelhouse/domain";
import type { Fence } from "./records.ts";

type BodyStoreName = (typeof bodyStores)[number];

/** The manifest of a versioned durable file. */
export interface ArtifactRecord {
  id: string;
  projectId: string;
  scope: Scope;
  scopeKey: string;
  /** Unique in its scope; begins with the route of its kind. */
  path: string;
  kind: ArtifactKind;
  /** The last name of the path. */
  name: string;
  latestVersion: number;
  /** Callers who do not read events of this visibility do not see it. */
  visibility: EventVisibility;
  /** What made it: `upload`, `api`, `run`, `restore` … */
  source: string;
  sessionId: string | null;
  taskId: string | null;
  /** The run that made the latest version. */
  runId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** One version: what its bytes are and where they lie. */
export interface ArtifactVersionRecord {
  id: string;
  artifactId: string;
  version: number;
  contentType: string;
  bytes: number;
  /** SHA-256 of the body, lower-case hex. */
  checksum: string;
  bodyStore: BodyStoreName;
  /** Null when the body is `inlineBody`. */
  objectKey: string | null;
  inlineBody: Uint8Array | null;
  parentVersion: number | null;
  runId: string | null;
  createdBy: string | null;
  createdAt: Date;
}

/** A row of a list: the artifact with its latest version, without bytes. */
export interface ListedArtifact {
  artifact: ArtifactRecord;
  version: Omit<ArtifactVersionRecord, "inlineBody">;
}

export interface FoundVersion {
  artifact: ArtifactRecord;
  version: ArtifactVersionRecord;
}

/** By its id, or by its path in the caller's own scope. */
export type WhichArtifact = { id: string } | { path: string };

export interface NewArtifactVersion {
  /** What the body's key was made for. When it is not so any more, the answer says what is. */
  basis: { artifactId: string; version: number };
  /** The latest version as the caller knows it, 0 for none; null takes whatever it is. */
  expectedVersion: number | null;
  path: string;
  kind: ArtifactKind;
  name: string;
  /** Of a new artifact; an existing one keeps its own. */
  visibility: EventVisibility;
  source: string;
  sessionId: string | null;
  taskId: string | null;
  runId: string | null;
  checkpointId: string | null;
  /** Of the run that makes it: one that lost its lease publishes nothing. */
  fence: Fence | null;
  version: {
    id: string;
    contentType: string;
    bytes: number;
    checksum: string;
    bodyStore: BodyStoreName;
    objectKey: string | null;
    inlineBody: Uint8Array | null;
    createdBy: string | null;
  };
  /** Bytes that the project may keep in all; null for no limit. */
  quotaBytes: number | null;
  at: Date;
}

export type PublishOutcome =
  | { outcome: "published"; artifact: ArtifactRecord; version: number }
  /** `expectedVersion` is not the latest one; null when there is none. */
  | { outcome: "conflict"; current: ArtifactRecord | null }
  /** The basis has changed: the key is to be made for this one. */
  | { outcome: "moved"; basis: { artifactId: string; version: number } }
  | { outcome: "quotaExceeded"; usedBytes: number }
  /** The sweep has condemned the body: it has to be written again. */
  | { outcome: "bodyCondemned" }
  | { outcome: "sessionNotFound" }
  /** There is one that the caller does not see. */
  | { outcome: "notFound" }
  | { outcome: "fenced" };

/** What is left to say of a deleted artifact. */
export interface ArtifactReceipt {
  artifactId: string;
  path: string;
  versions: number;
  bytes: number;
  /** Bodies outside the manifests. */
  bodies: number;
  deletedAt: Date;
  /** When the last body was gone; null while some are not. */
  bodiesDeletedAt: Date | null;
}

export type DeleteArtifactOutcome =
  | {
      outcome: "deleted";
      /** The job under which the receipt is kept. */
      receiptId: string;
      receipt: ArtifactReceipt;
      /** To be deleted from their stores; condemned, so that the sweep does it when nobody else has. */
      bodies: { bodyStore: BodyStoreName; objectKey: string }[];
    }
  | { outcome: "conflict"; current: ArtifactRecord }
  | { outcome: "fenced" }
  | { outcome: "notFound" };

/** A body that a manifest names. */
export interface NamedBody {
  versionId: string;
  projectId: string;
  artifactId: string;
  version: number;
  scopeKey: string;
  kind: ArtifactKind;
  path: string;
  bytes: number;
  checksum: string;
  contentType: string;
  bodyStore: BodyStoreName;
  objectKey: string | null;
}

/** The manifests. They say what there is and who may see it; bodies lie elsewhere. */
export interface ArtifactStore {
  /** The latest version, or the one that is named. Null when it does not exist for this caller. */
  find(authority: Authority, which: WhichArtifact, version?: number | null): Promise<FoundVersion | null>;
  /** The artifacts of the caller's own scope whose paths begin with `prefix`, in the order of their paths. */
  list(authority: Authority, input: { prefix: string; after: string | null; limit: number }): Promise<ListedArtifact[]>;
  /** Makes the next version. Of several publications at once each gets a version of its own. */
  publish(authority: Authority, input: NewArtifactVersion): Promise<PublishOutcome>;
  /** Removes an artifact with all its versions. A run that lost its lease removes nothing. */
  delete(
    authority: Authority,
    input: {
      which: WhichArtifact;
      expectedVersion: number | null;
      /** Of the run that deletes it. */
      fence: Fence | null;
      receiptId: string;
      at: Date;
    },
  ): Promise<DeleteArtifactOutcome>;
  /** Bytes that the caller's project keeps. */
  usedBytes(authority: Authority): Promise<number>;
  /** Of these keys of a store, those that no manifest names, are marked, when they are not marked already. */
  markUnnamed(input: { bodyStore: BodyStoreName; keys: readonly string[]; at: Date }): Promise<number>;
  /** Condemns bodies that were marked before `before` and are still named by nobody; forgets the marks of the others. */
  condemn(input: { bodyStore: BodyStoreName; before: Date; limit: number; at: Date }): Promise<number>;
  condemned(input: { bodyStore: BodyStoreName; limit: number }): Promise<string[]>;
  /** These condemned bodies are gone. Completes the receipts that waited for them. */
  forgetBodies(input: { keys: readonly string[]; at: Date }): Promise<void>;
  /** The bodies of a store that manifests name, in the order of the versions' ids. */
  namedBodies(input: { bodyStore: BodyStoreName; after: string | null; limit: number }): Promise<NamedBody[]>;
  inlineBody(versionId: string): Promise<Uint8Array | null>;
  /** Says that bodies lie elsewhere now. Those that were changed or deleted meanwhile stay as they are. */
  moveBodies(
    moves: readonly {
      versionId: string;
      from: { bodyStore: BodyStoreName; objectKey: string | null };
      to: { bodyStore: BodyStoreName; objectKey: string };
    }[],
  ): Promise<number>;
  /** Runs that are queued or running, in every project. */
  activeRuns(): Promise<number>;
}

/** Bodies that are kept in the database, in parts. They are reached by keys, which say nothing about who may. */
export interface ArtifactBodyStore {
  write(input: { key: string; part: number; body: Uint8Array; at: Date }): Promise<void>;
  /** Gives a body another key, in place of whatever has it. Of two at the same moment either may stay: it is one body. */
  rename(from: string, to: string): Promise<void>;
  /** False when there is nothing to copy. */
  copy(from: string, to: string): Promise<boolean>;
  read(key: string, part: number): Promise<Uint8Array | null>;
  /** Bytes in all; null when there is no such body. */
  size(key: string): Promise<number | null>;
  delete(keys: readonly string[]): Promise<void>;
  deleteOlder(input: { prefix: string; before: Date }): Promise<number>;
  /** Keys behind `after`, in their order, but for those that begin with `without`. */
  list(input: {
    after: string | null;
    limit: number;
    without: string;
  }): Promise<{ key: string; bytes: number; modifiedAt: Date }[]>;
}
