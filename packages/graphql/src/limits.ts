import { type ASTVisitor, GraphQLError, Kind, type SelectionSetNode, type ValidationContext } from "graphql";

/** How deep a query may be nested. Introspection's own documents reach 13 below __schema and are let through. */
export const maxDepth = 12;
/** Most lexical tokens of a document. */
export const maxTokens = 2_000;

function depthOf(context: ValidationContext, selections: SelectionSetNode, seen: readonly string[]): number {
  let deepest = 0;
  for (const selection of selections.selections) {
    let depth = 0;
    if (selection.kind === Kind.FIELD) {
      if (selection.name.value.startsWith("__")) continue;
      depth = 1 + (selection.selectionSet === undefined ? 0 : depthOf(context, selection.selectionSet, seen));
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      depth = depthOf(context, selection.selectionSet, seen);
    } else {
      const name = selection.name.value;
      const fragment = context.getFragment(name);
      // A fragment that contains itself is another rule's business.
      if (fragment && !seen.includes(name)) depth = depthOf(context, fragment.selectionSet, [...seen, name]);
    }
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** A validation rule: operations may be no deeper than `maxDepth`. */
export function depthLimitRule(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation) {
      const depth = depthOf(context, operation.selectionSet, []);
      if (depth > maxDepth)
        context.reportError(
          new GraphQLError(`The query is ${depth} levels deep; at most ${maxDepth} are allowed`, {
            nodes: operation,
            extensions: { code: "QUERY_TOO_DEEP" },
          }),
        );
    },
  };
}
