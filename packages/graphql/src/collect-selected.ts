import { type DocumentNode, type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from "graphql";

/** Thrown when a document says something that only an execution can answer. */
export class NotCompilable extends Error {}

/** A field as it is selected: by one node, or by several that fragments bring together. */
export interface Selected {
  name: string;
  nodes: FieldNode[];
  selections: SelectionSetNode[];
}

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

export const fragmentsOf = (document: DocumentNode): Fragments =>
  new Map(
    document.definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );

/**
 * The fields of selection sets by response key, in the order of first mention, as an execution collects them. `holds`
 * tells whether a fragment's condition is true of the type at hand.
 */
export function collectSelected(
  selectionSets: readonly SelectionSetNode[],
  fragments: Fragments,
  holds: (condition: string) => boolean,
  into = new Map<string, Selected>(),
): Map<string, Selected> {
  for (const selection of selectionSets.flatMap((set) => set.selections)) {
    if ((selection.directives ?? []).length > 0) throw new NotCompilable("a directive");
    if (selection.kind === Kind.FIELD) {
      const key = (selection.alias ?? selection.name).value;
      const field = into.get(key) ?? { name: selection.name.value, nodes: [], selections: [] };
      field.nodes.push(selection);
      if (selection.selectionSet !== undefined) field.selections.push(selection.selectionSet);
      into.set(key, field);
      continue;
    }
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
    if (fragment === undefined || (fragment.directives ?? []).length > 0) throw new NotCompilable("a fragment");
    const condition = fragment.typeCondition?.name.value;
    if (condition === undefined || holds(condition)) collectSelected([fragment.selectionSet], fragments, holds, into);
  }
  return into;
}
