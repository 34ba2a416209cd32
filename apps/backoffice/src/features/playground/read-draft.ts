export type Draft =
  /** What is saved is tried. */
  | { kind: "saved" }
  | { kind: "draft"; definition: object }
  /** Nothing can be sent with it. */
  | { kind: "invalid"; message: string };

/** What stands in the editor, beside the definition that is saved. Nothing there means the saved one. */
export function readDraft(text: string, saved: unknown): Draft {
  if (text.trim() === "") return { kind: "saved" };
  let definition: unknown;
  try {
    definition = JSON.parse(text);
  } catch (error) {
    return { kind: "invalid", message: `is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (typeof definition !== "object" || definition === null || Array.isArray(definition))
    return { kind: "invalid", message: "a definition is a JSON object" };
  return JSON.stringify(definition) === JSON.stringify(saved) ? { kind: "saved" } : { kind: "draft", definition };
}

/** A definition as it is put into the editor. */
export const draftText = (definition: unknown): string => JSON.stringify(definition, null, 2);
