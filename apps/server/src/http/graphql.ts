import { depthLimitRule, type GraphContext, maskError, maxTokens } from "@wheelhouse/graphql";
import type { Log } from "@wheelhouse/runtime";
import type { GraphQLSchema } from "graphql";
import { createYoga, type Plugin } from "graphql-yoga";
import { currentRequestId } from "./request-id.ts";

export interface GraphqlOptions {
  schema: GraphQLSchema;
  /** Makes the context of one operation; throws a refusal when the credentials are not good. */
  contextOf: (headers: Headers, requestId: string) => Promise<GraphContext>;
  newId: () => string;
  log: Log;
  graphiql: boolean;
  trustedOrigins: readonly string[];
}

/** What the context is made from: an HTTP request, or what a socket's door knows. */
export type Incoming = { request?: Request; socketHeaders?: Headers };

/** The GraphQL server as a function of a request: queries, mutations, and subscriptions as SSE in one stream each. */
export function openGraphql(options: GraphqlOptions) {
  const limits: Plugin = {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source, parseOptions) => parseFn(source, { ...parseOptions, maxTokens }));
    },
    onValidate({ addValidationRule }) {
      addValidationRule(depthLimitRule);
    },
  };
  return createYoga<Incoming, GraphContext>({
    schema: options.schema,
    graphqlEndpoint: "/graphql",
    landingPage: false,
    graphiql: options.graphiql && { title: "Wheelhouse", subscriptionsProtocol: "WS" },
    logging: false,
    batching: { limit: 10 },
    plugins: [limits],
    cors: options.trustedOrigins.length > 0 ? { origin: [...options.trustedOrigins], credentials: true } : false,
    maskedErrors: {
      maskError: (error) => maskError(error, currentRequestId() ?? options.newId(), options.log),
    },
    context: (incoming) =>
      options.contextOf(
        incoming.socketHeaders ?? incoming.request?.headers ?? new Headers(),
        currentRequestId() ?? options.newId(),
      ),
  });
}

export type GraphqlServer = ReturnType<typeof openGraphql>;
