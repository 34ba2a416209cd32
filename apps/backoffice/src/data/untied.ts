import type { TypedDocumentNode } from "@wheelhouse/client";

export type AnyVariables = Record<string, unknown>;

/**
 * The document without the tie to its variables' type. The hooks check the tie where they are called; behind them the
 * variables are a generic type, for which TypeScript cannot decide whether the client's call may leave them out.
 */
export const untied = <R, V extends AnyVariables>(
  document: TypedDocumentNode<R, V>,
): TypedDocumentNode<R, AnyVariables> => document as TypedDocumentNode<R, AnyVariables>;
