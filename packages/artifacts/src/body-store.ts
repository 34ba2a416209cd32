import type { bodyStores } from "@wheelhouse/domain";

export type BodyStoreKind = (typeof bodyStores)[number];

/** Bytes on their way. Whoever stops reading early ends the source. */
export type ByteStream = AsyncIterable<Uint8Array>;

/** What was written: where it lies, how much it is, and the SHA-256 of every byte that was handed to the store. */
export interface StoredBody {
  key: string;
  bytes: number;
  /** Lower-case hex. */
  sha256: string;
  /** The checksum of checksums that a store forms over the parts of a big body, in its own words; null without parts. */
  parts: string | null;
}

/** What a store says about a body without giving it. */
export interface BodyHead {
  bytes: number;
  /** What the store itself has counted over the whole body, lower-case hex; null when it reports nothing. */
  sha256: string | null;
  /** What the store has counted over its parts; null when it reports nothing. */
  parts: string | null;
}

export interface ListedBody {
  key: string;
  bytes: number;
  /** When it was last written, by the store's clock. */
  modifiedAt: Date;
}

export interface PutOptions {
  contentType: string;
  /** The checksum that the body must have, lower-case hex. Another body is refused and leaves nothing. */
  sha256?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Where the bytes of artifacts are kept. A body appears under its key whole or not at all, is never changed there, and
 * says nothing about who may see it: the manifest in the database is the authority. Failures are `BodyStoreError`s.
 */
export interface BodyStore extends AsyncDisposable {
  readonly kind: BodyStoreKind;
  /**
   * Whether a write that was acknowledged is known to hold the very bytes that were hashed, so that nothing has to be
   * read back: the operating system or the database has said so, and no network lies between.
   */
  readonly provesWrites: boolean;
  /** Writes a body under the key of its checksum, which is known when the stream ends. */
  put(body: ByteStream, keyOf: (sha256: string) => string, options: PutOptions): Promise<StoredBody>;
  /** The whole body. Throws BODY_MISSING. */
  get(key: string, signal?: AbortSignal): Promise<{ bytes: number; body: ByteStream }>;
  /** Bytes `start` to `end`, both included, which must lie in the body. Throws BODY_MISSING. */
  getRange(key: string, range: { start: number; end: number }, signal?: AbortSignal): Promise<ByteStream>;
  /** Null when there is none. */
  head(key: string): Promise<BodyHead | null>;
  /** The same body under a second key. Throws BODY_MISSING. */
  copy(from: string, to: string): Promise<void>;
  /** What is not there is deleted already. */
  delete(keys: readonly string[]): Promise<void>;
  /** An address that gives the body to whoever has it, until it expires; null where the store has no addresses. */
  presign(key: string, options: PresignOptions): Promise<string | null>;
  /** Bodies behind `after` in the order of their keys, without those on their way. */
  list(input: { after: string | null; limit: number }): Promise<ListedBody[]>;
  /** Forgets uploads that began before `before` and were never finished. Answers how many. */
  abandonUploads(before: Date): Promise<number>;
  /** Resolves when the store can be used. */
  check(): Promise<void>;
}

export interface PresignOptions {
  expiresSeconds: number;
  contentType: string;
  contentDisposition: string;
}

export const bodyStoreErrorCodes = ["BODY_MISSING", "BODY_CORRUPT", "STORE_UNAVAILABLE"] as const;
export type BodyStoreErrorCode = (typeof bodyStoreErrorCodes)[number];

/**
 * What a store could not do. The message is written for callers: it names neither keys, addresses nor credentials.
 * `reason` is the store's own short name of what happened.
 */
export class BodyStoreError extends Error {
  readonly code: BodyStoreErrorCode;
  readonly reason: string | null;

  constructor(code: BodyStoreErrorCode, message: string, reason: string | null = null) {
    super(reason === null ? message : `${message} (${reason})`);
    this.name = "BodyStoreError";
    this.code = code;
    this.reason = reason;
  }
}

export const bodyMissing = (): BodyStoreError =>
  new BodyStoreError("BODY_MISSING", "The body is not in the store any more");

export const bodyCorrupt = (): BodyStoreError =>
  new BodyStoreError("BODY_CORRUPT", "The body is not what was written: its checksum or size differs");
