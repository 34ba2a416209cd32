import { z } from "zod";
import { Refusal } from "./refusal.ts";

const Cursor = z.tuple([z.string()]).rest(z.union([z.string(), z.number(), z.null()]));

const ascii = /^[\x20-\x7e]*$/;
const urlLetters: Record<string, string> = { "+": "-", "/": "_", "=": "" };

// Every page that is streamed has a cursor, and nearly all are ASCII: those need no encoding to bytes.
const toBase64Url = (text: string): string =>
  btoa(ascii.test(text) ? text : String.fromCharCode(...new TextEncoder().encode(text))).replace(
    /[+/=]/g,
    (letter) => urlLetters[letter] ?? letter,
  );

const fromBase64Url = (text: string): string =>
  new TextDecoder("utf-8", { fatal: true }).decode(
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0)),
  );

/** An opaque cursor into the list named `list`; `keys` are the sort keys of the row it points at. */
export const encodeCursor = (list: string, keys: readonly (string | number | null)[]): string =>
  toBase64Url(JSON.stringify([list, ...keys]));

/** Reads a cursor of the list named `list`; throws INVALID_CURSOR when it is malformed or belongs to another list. */
export function decodeCursor(list: string, cursor: string): (string | number | null)[] {
  let parsed: z.infer<typeof Cursor>;
  try {
    parsed = Cursor.parse(JSON.parse(fromBase64Url(cursor)));
  } catch {
    throw new Refusal(
      "INVALID_CURSOR",
      "The cursor is malformed; start from the beginning or from a cursor of this list",
    );
  }
  const [name, ...keys] = parsed;
  if (name !== list) throw new Refusal("INVALID_CURSOR", "The cursor belongs to another list");
  return keys;
}

/** The cursor of a session's log just behind `sequence` (0: from the first event). Runs share their session's cursors. */
export const eventCursor = (sessionId: string, sequence: number): string =>
  encodeCursor(`events:${sessionId}`, [sequence]);

/** The sequence a log cursor stands behind. */
export function sequenceOfCursor(sessionId: string, cursor: string): number {
  const [sequence] = decodeCursor(`events:${sessionId}`, cursor);
  if (typeof sequence !== "number" || !Number.isSafeInteger(sequence) || sequence < 0)
    throw new Refusal("INVALID_CURSOR", "The cursor is malformed");
  return sequence;
}

/** A place in a project's feed; see the feed's `FeedPlace`. */
export interface FeedCursorPlace {
  position: number;
  sessionId: string;
  sequence: number;
}

/** The cursor of a project's feed just behind a place. */
export const feedCursor = (projectId: string, { position, sessionId, sequence }: FeedCursorPlace): string =>
  encodeCursor(`feed:${projectId}`, [position, sessionId, sequence]);

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/** The place that a feed's cursor stands behind. */
export function placeOfFeedCursor(projectId: string, cursor: string): FeedCursorPlace {
  const [position, sessionId, sequence] = decodeCursor(`feed:${projectId}`, cursor);
  if (!isCount(position) || typeof sessionId !== "string" || !isCount(sequence))
    throw new Refusal("INVALID_CURSOR", "The cursor is malformed");
  return { position, sessionId, sequence };
}

/** The cursor of a project's configuration just behind the change at `position`. */
export const configCursor = (projectId: string, position: number): string =>
  encodeCursor(`config:${projectId}`, [position]);

/** The position that a cursor of a project's configuration stands behind. */
export function positionOfConfigCursor(projectId: string, cursor: string): number {
  const [position] = decodeCursor(`config:${projectId}`, cursor);
  if (!isCount(position)) throw new Refusal("INVALID_CURSOR", "The cursor is malformed");
  return position;
}
