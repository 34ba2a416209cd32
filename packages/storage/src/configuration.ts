import type { AgentSource, Authority, ConfigKind, configOperations, Scope } from "@wheelhouse/domain";

/** A definition that was written through the API, as it is now. */
export interface ConfigEntityRecord {
  id: string;
  projectId: string;
  kind: ConfigKind;
  name: string;
  scope: Scope;
  scopeKey: string;
  /** As it was written: what it leaves to defaults is absent. */
  definition: Record<string, unknown>;
  /** Counts from 1; goes on counting when the definition was deleted and comes back. */
  revision: number;
  /** SHA-256 hex of the canonical JSON of the definition. */
  digest: string;
  source: AgentSource;
  enabled: boolean;
  /** The revision of this label applies, instead of the latest. */
  pinnedLabel: string | null;
  createdBy: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** One state that a definition had: all of it, never a difference. */
export interface ConfigRevisionRecord {
  id: string;
  entityId: string;
  revision: number;
  definition: Record<string, unknown>;
  digest: string;
  enabled: boolean;
  reason: string | null;
  author: string | null;
  createdAt: Date;
}

export interface ConfigLabelRecord {
  label: string;
  revision: number;
  updatedAt: Date;
}

export type ConfigOperation = (typeof configOperations)[number];

/** One line of a project's change feed. */
export interface ConfigChangeRecord {
  id: string;
  /** 1, 2, 3 … within the project, in the order of the commits: nothing ever appears before what was read. */
  position: number;
  kind: ConfigKind;
  name: string;
  scope: Scope;
  operation: ConfigOperation;
  /** Null for what has none any more. */
  revision: number | null;
  at: Date;
}

export interface ConfigKey {
  kind: ConfigKind;
  name: string;
  scope: Scope;
}

/** A name in a definition: where it stands and what it means. */
export interface ConfigReference {
  path: string;
  kind: ConfigKind;
  name: string;
}

export interface ConfigPut extends ConfigKey {
  definition: Record<string, unknown>;
  digest: string;
  /** As it is, true at first, when absent. */
  enabled?: boolean | undefined;
  references: readonly ConfigReference[];
  /** Refuses when the current revision is another one. */
  expectedRevision?: number | null | undefined;
  /** Refuses when there is one already. */
  createOnly?: boolean | undefined;
  /** What lists of agents show; null for the other kinds. */
  agent: ShownAgent | null;
  reason: string | null;
  at: Date;
}

export interface ShownAgent {
  displayName: string;
  description: string | null;
  inputSchema: Record<string, unknown> | null;
  outputSchema: Record<string, unknown> | null;
}

export type PutOutcome =
  /** `change` is null when nothing is different. */
  | {
      outcome: "put";
      before: ConfigEntityRecord | null;
      entity: ConfigEntityRecord;
      change: ConfigChangeRecord | null;
    }
  | { outcome: "conflict"; current: ConfigEntityRecord }
  | { outcome: "notFound" };

export interface ConfigDelete extends ConfigKey {
  expectedRevision?: number | null | undefined;
  reason: string | null;
  at: Date;
}

export type DeleteOutcome =
  | { outcome: "deleted"; before: ConfigEntityRecord; change: ConfigChangeRecord }
  | { outcome: "conflict"; current: ConfigEntityRecord }
  | { outcome: "notFound" };

export interface ConfigLabelling extends ConfigKey {
  label: string;
  /** Null takes the label away. */
  revision: number | null;
  /** Of what applies afterwards; null when that stays as it is. */
  references: readonly ConfigReference[] | null;
  reason: string | null;
  at: Date;
}

export interface ConfigPinning extends ConfigKey {
  /** Null: the latest revision applies. */
  label: string | null;
  references: readonly ConfigReference[];
  reason: string | null;
  at: Date;
}

export type LabelOutcome =
  | { outcome: "labelled"; entity: ConfigEntityRecord; change: ConfigChangeRecord }
  /** The definition, its revision or its label does not exist. */
  | { outcome: "notFound"; what: "entity" | "revision" | "label" }
  /** The label is the one that the definition is pinned to. */
  | { outcome: "pinned" };

export interface ConfigListFilter {
  kind?: ConfigKind | undefined;
  /** Only names with this in them. */
  text?: string | undefined;
}

/** Where a definition stands in the list of all. */
export interface ConfigPlace {
  kind: ConfigKind;
  name: string;
  scopeKey: string;
}

/** What can be asked of a project's configuration, as far as the caller reaches. */
export interface ConfigReads {
  /**
   * The definitions of these names that may apply to a scope: those at a part of it, with the revision that applies. One
   * lookup by index, however many definitions there are.
   */
  candidates(scope: Scope, names: readonly { kind: ConfigKind; name: string }[]): Promise<ConfigEntityRecord[]>;
  /** The same for every name of a kind. */
  candidatesOfKind(scope: Scope, kind: ConfigKind): Promise<ConfigEntityRecord[]>;
  /** The definition at exactly this scope, in its latest revision; null when there is none. */
  entity(key: ConfigKey): Promise<ConfigEntityRecord | null>;
  /** The same by id, for as many as there are; in no order. */
  entitiesById(ids: readonly string[]): Promise<ConfigEntityRecord[]>;
  /** One state of a definition, also of a deleted one; null when there is none. */
  revision(key: ConfigKey, revision: number): Promise<ConfigRevisionRecord | null>;
  labels(key: ConfigKey): Promise<ConfigLabelRecord[]>;
  /** Definitions that name one of these, with the places; at most `limit`, in the order of their names. */
  namedBy(
    names: readonly { kind: ConfigKind; name: string }[],
    limit: number,
  ): Promise<{ entity: ConfigEntityRecord; path: string; kind: ConfigKind; name: string }[]>;
  /** A page of the definitions at their own scopes, in their latest revisions, by kind, name and scope. */
  list(filter: ConfigListFilter, page: { after: ConfigPlace | null; limit: number }): Promise<ConfigEntityRecord[]>;
  /** How many there are, counted no further than `most`. */
  count(filter: ConfigListFilter, most: number): Promise<number>;
  /** Definitions of a kind whatever their scope, at most `limit`, in the order of their names. */
  someOfKind(kind: ConfigKind, limit: number): Promise<ConfigEntityRecord[]>;
}

/**
 * A project's configuration in the hands of one writer: nobody else changes it meanwhile, and what is read includes what
 * was written. Definition, revision, change and audit entry are written together.
 */
export interface ConfigDraft extends ConfigReads {
  put(write: ConfigPut): Promise<PutOutcome>;
  delete(write: ConfigDelete): Promise<DeleteOutcome>;
  label(write: ConfigLabelling): Promise<LabelOutcome>;
  pin(write: ConfigPinning): Promise<LabelOutcome>;
}

export interface ConfigChangePage {
  changes: ConfigChangeRecord[];
  /** Where to go on. */
  scannedTo: number;
  caughtUp: boolean;
  /** The reader has been farther than the feed ever was. */
  ahead: boolean;
}

/** Definitions of all kinds, their history and the feed of their changes. */
export interface ConfigStore {
  /** What the caller may read, each call in a moment of its own. */
  reads(authority: Authority): ConfigReads;
  /**
   * Runs `work` over a draft in one transaction. What it wrote is kept when it says so, else nothing of it is. It may run
   * again when the transaction could not be finished. Listeners of this process hear of it before this answers.
   */
  change<T>(authority: Authority, work: (draft: ConfigDraft) => Promise<{ keep: boolean; answer: T }>): Promise<T>;
  /** A page of the project's changes behind `after`, oldest first. */
  changes(authority: Authority, input: { after: number; limit: number }): Promise<ConfigChangePage>;
  /** The position of the project's latest change, 0 before the first: what was read at the same position is still true. */
  position(projectId: string): Promise<number>;
}
