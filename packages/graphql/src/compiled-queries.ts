import { type GraphQLSchema, parse, specifiedRules, validate } from "graphql";
import { type CompiledQuery, compileQuery } from "./compiled-query.ts";
import { depthLimitRule, maxTokens } from "./limits.ts";

/** Documents remembered; an application has a few dozen. */
const maxDocuments = 300;
/** Longest document that is remembered, characters. */
const maxLength = 20_000;

/** Compiles documents, each text once; null when it is not a valid query or takes an execution. */
export function compiledQueries(schema: GraphQLSchema) {
  const known = new Map<string, CompiledQuery | null>();
  return (text: string, operationName: string | null): CompiledQuery | null => {
    if (text.length > maxLength) return null;
    const key = `${operationName ?? ""} ${text}`;
    let query = known.get(key);
    if (query === undefined) {
      query = compile(schema, text, operationName);
      const [oldest] = known.keys();
      if (known.size >= maxDocuments && oldest !== undefined) known.delete(oldest);
      known.set(key, query);
    }
    return query;
  };
}

function compile(schema: GraphQLSchema, text: string, operationName: string | null): CompiledQuery | null {
  try {
    const document = parse(text, { maxTokens });
    const valid = validate(schema, document, [...specifiedRules, depthLimitRule]).length === 0;
    return valid ? compileQuery(schema, document, operationName) : null;
  } catch {
    // What is wrong with the text is told by whoever executes it.
    return null;
  }
}
