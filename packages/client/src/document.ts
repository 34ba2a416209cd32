import { type DocumentNode, type FieldNode, type OperationDefinitionNode, print } from "graphql";

/** What is sent of a document. */
export interface PrintedDocument {
  query: string;
  operationName: string | undefined;
}

export type Variables = Record<string, unknown>;

/** The one value that a subscription yields: the type of its only root field. */
export type RootField<R> = R[Exclude<keyof R, "__typename">];

/** Variables and options of a call; the variables may be left out when the document needs none. */
export type CallArguments<V, O> =
  Record<string, never> extends V ? [variables?: V, options?: O] : [variables: V, options?: O];

const printed = new WeakMap<DocumentNode, PrintedDocument>();

/** Prints a document once. */
export function printDocument(document: DocumentNode): PrintedDocument {
  const known = printed.get(document);
  if (known) return known;
  const fresh = { query: print(document), operationName: operationOf(document).name?.value };
  printed.set(document, fresh);
  return fresh;
}

/** The name under which a subscription's root field answers, and whether its arguments tie it to one session's log. */
export function rootFieldOf(document: DocumentNode): { responseKey: string; ofOneSession: boolean } {
  const field = operationOf(document).selectionSet.selections.find(
    (selection): selection is FieldNode => selection.kind === "Field" && selection.name.value !== "__typename",
  );
  if (!field) throw new TypeError("The document selects no root field");
  return {
    responseKey: (field.alias ?? field.name).value,
    ofOneSession: (field.arguments ?? []).some(({ name }) => name.value === "sessionId" || name.value === "runId"),
  };
}

/** Whether the document takes a variable of this name. */
export const takesVariable = (document: DocumentNode, name: string): boolean =>
  (operationOf(document).variableDefinitions ?? []).some(({ variable }) => variable.name.value === name);

function operationOf(document: DocumentNode): OperationDefinitionNode {
  const operations = (document.definitions ?? []).filter((definition) => definition.kind === "OperationDefinition");
  const [operation] = operations;
  if (operation && operations.length === 1) return operation;
  throw new TypeError("A document must hold exactly one operation; run `npm run generate` if it was changed just now");
}
