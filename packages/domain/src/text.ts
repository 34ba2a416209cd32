/** Longest preview kept on a session row, in UTF-16 code units. */
export const previewLength = 500;

/**
 * Text that every database can store and search: NUL and lone surrogates become U+FFFD.
 * PostgreSQL refuses both in text and jsonb.
 */
export const storableText = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed();

/** A JSON value with every string, keys included, made storable. */
export function storableJson(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (Array.isArray(value)) return value.map(storableJson);
  if (value !== null && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [storableText(k), storableJson(v)]));
  return value;
}

/** The beginning of a text on one line, cut between graphemes with an ellipsis, never longer than `max` code units. */
export function preview(text: string, max: number = previewLength): string {
  // Segmenting is linear in the input: only look at what can be kept.
  const looked = text.slice(0, max * 4);
  const unread = text.length > looked.length;
  // The cut may have halved a surrogate pair; the half is not part of the text.
  const line = storableText(unread ? looked.replace(/[\uD800-\uDBFF]$/, "") : looked)
    .replaceAll(/\s+/g, " ")
    .trim();
  if (!unread && line.length <= max) return line;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    if (kept.length + segment.length > max - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
