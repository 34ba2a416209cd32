import { compiledQueries, type GraphContext } from "@wheelhouse/graphql";
import type { GraphQLSchema } from "graphql";
import { z } from "zod";

/** The body of a request that has nothing but a document and what goes with it. */
const Body = z.strictObject({
  query: z.string(),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
});

export interface CompiledAnswer {
  contentType: string;
  text: string;
}

/** Answers a POST of JSON when its query is compiled and the answer plain; null when it takes the whole server. */
export type CompiledAnswers = (headers: Headers, body: string) => Promise<CompiledAnswer | null>;

/**
 * Queries as they come from applications, without what a GraphQL server does for every transport and operation: that
 * costs more than a page of conversations itself. Whatever is not plain (other methods, batches, errors, refusals) is
 * left to the server, which then does it from the beginning.
 */
export function openCompiledAnswers(
  schema: GraphQLSchema,
  contextOf: (headers: Headers) => Promise<GraphContext>,
): CompiledAnswers {
  const queryOf = compiledQueries(schema);
  return async (headers, body) => {
    const contentType = answerTypeOf(headers);
    if (contentType === null || !/^application\/json(;|$)/i.test(headers.get("content-type") ?? "")) return null;
    try {
      const { query, operationName, variables } = Body.parse(JSON.parse(body));
      const compiled = queryOf(query, operationName ?? null);
      if (compiled === null) return null;
      const data = await compiled.run(await contextOf(headers), variables ?? {});
      return { contentType, text: `{"data":${data}}` };
    } catch {
      // The server meets the same again and tells it in the words of the API.
      return null;
    }
  };
}

/** The first media type that the client takes of those a single answer has; null when that is another one. */
function answerTypeOf(headers: Headers): string | null {
  const wanted = (headers.get("accept") ?? "*/*").toLowerCase();
  if (wanted.includes("charset")) return null;
  for (const part of wanted.split(",")) {
    const type = part.split(";")[0]?.trim();
    if (type === "application/graphql-response+json") return `${type}; charset=utf-8`;
    if (type === "application/json" || type === "application/*" || type === "*/*")
      return "application/json; charset=utf-8";
  }
  return null;
}
