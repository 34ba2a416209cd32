import type { Releasable } from "./releasable.ts";

/** Where a stream stands, for whoever looks at it from outside. */
export interface StreamProgress {
  /** Behind everything that was handed to the consumer; null for streams without a cursor. */
  cursor: string | null;
  /** Events that the log is known to have behind the cursor; null where they are not counted. */
  behind: number | null;
  /** Events that were read and wait for the consumer. */
  buffered: number;
}

/** A stream that can be left at any moment and looked at meanwhile. */
export type LiveStream<T> = Releasable<T> & { progress(): StreamProgress };
