import type { DocumentNode } from "graphql";

/** The name of a document's operation; unique among the backoffice's documents. */
export function nameOfDocument(document: DocumentNode): string {
  for (const definition of document.definitions)
    if (definition.kind === "OperationDefinition" && definition.name !== undefined) return definition.name.value;
  throw new TypeError("The document has no named operation");
}
