/** What production code asks instead of reading the machine: the time and new ids. */
export interface Clock {
  /** The current time, UTC, milliseconds. */
  now(): Date;
}

/** Makes a new id: UUIDv7 text, sortable by creation. */
export type NewId = () => string;
