import type { GraphContext } from "./context.ts";

/** A condition on a text column, as the database in use can say it. */
export interface TextCondition {
  contains: string;
  mode?: "insensitive";
}

/**
 * "Contains this, upper and lower case alike". PostgreSQL says exactly that. SQLite's LIKE has no escape here and folds
 * ASCII only, so it is asked for a little more (every character it cannot compare becomes `_`, any one character) and
 * `matchesText` decides: see `needsSecondLook`.
 */
export function textCondition(context: GraphContext, text: string): TextCondition {
  if (context.runtime.storage.kind === "postgres")
    return { contains: text.replaceAll(/[\\%_]/g, "\\$&"), mode: "insensitive" };
  return { contains: [...text].map((character) => (comparable(character) ? character : "_")).join("") };
}

/** Whether what SQLite finds for this text may hold more than what was asked for. */
export const needsSecondLook = (context: GraphContext, text: string): boolean =>
  context.runtime.storage.kind !== "postgres" && ![...text].every(comparable);

/** The exact test. */
export const matchesText = (text: string, values: readonly (string | null)[]): boolean => {
  const wanted = text.toLowerCase();
  return values.some((value) => value?.toLowerCase().includes(wanted) ?? false);
};

/** Characters that SQLite's LIKE takes literally and folds as we do. */
const comparable = (character: string): boolean =>
  character !== "%" &&
  character !== "_" &&
  (character < "\u0080" || (character.toLowerCase() === character && character.toUpperCase() === character));

/** A prefix for `startsWith`: PostgreSQL's LIKE takes escapes, SQLite's here does not and is looked at again. */
export const escapeLike = (context: GraphContext, text: string): string =>
  context.runtime.storage.kind === "postgres" ? text.replaceAll(/[\\%_]/g, "\\$&") : text;
