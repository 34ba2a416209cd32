import type { IncomingMessage, ServerResponse } from "node:http";
import { depthLimitRule, type GraphContext, maskError, maxTokens, type Transport } from "@wheelhouse/graphql";
import type { Log } from "@wheelhouse/runtime";
import type { GraphQLSchema } from "graphql";
import { createYoga, type Plugin } from "graphql-yoga";
import { headersOf } from "./answers.ts";
import { openCompiledAnswers } from "./compiled-answers.ts";
import { currentRequestId } from "./request-id.ts";

export interface GraphqlOptions {
  schema: GraphQLSchema;
  /** Makes the context of one operation; throws a refusal when the credentials are not good. */
  contextOf: (headers: Headers, requestId: string, transport: Transport) => Promise<GraphContext>;
  newId: () => string;
  log: Log;
  graphiql: boolean;
  trustedOrigins: readonly string[];
}

/** What the context is made from: an HTTP request, or what a socket's door knows. */
export type Incoming = {
  request?: Request;
  socketHeaders?: Headers;
  socket?: { readonly bufferedAmount: number } | undefined;
};

/** What leaves over HTTP is counted by the network's own buffers, which nobody can look into. */
const eventStream: Transport = { kind: "EVENT_STREAM", waitingBytes: () => null };

const transportOf = ({ socket }: Incoming): Transport =>
  socket === undefined ? eventStream : { kind: "WEBSOCKET", waitingBytes: () => socket.bufferedAmount };

/** The GraphQL server as a function of a request: queries, mutations, and subscriptions as SSE in one stream each. */
export function openGraphql(options: GraphqlOptions) {
  const { schema, trustedOrigins } = options;
  const contextOf = (headers: Headers, transport = eventStream) =>
    options.contextOf(headers, currentRequestId() ?? options.newId(), transport);
  const limits: Plugin = {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source, parseOptions) => parseFn(source, { ...parseOptions, maxTokens }));
    },
    onValidate({ addValidationRule }) {
      addValidationRule(depthLimitRule);
    },
  };
  const yoga = createYoga<Incoming, GraphContext>({
    schema,
    graphqlEndpoint: "/graphql",
    landingPage: false,
    graphiql: options.graphiql && { title: "Wheelhouse", subscriptionsProtocol: "WS" },
    logging: false,
    batching: { limit: 10 },
    plugins: [limits],
    cors: trustedOrigins.length > 0 ? { origin: [...trustedOrigins], credentials: true } : false,
    maskedErrors: {
      maskError: (error) => maskError(error, currentRequestId() ?? options.newId(), options.log),
    },
    context: (incoming) =>
      contextOf(incoming.socketHeaders ?? incoming.request?.headers ?? new Headers(), transportOf(incoming)),
  });
  const compiled = openCompiledAnswers(schema, contextOf);
  /** A plain answer; null when it takes Yoga. Other origins' requests need its CORS headers. */
  const plainly = async (url: string, headers: Headers, body: string) =>
    url === "/graphql" && (trustedOrigins.length === 0 || !headers.has("origin")) ? compiled(headers, body) : null;

  return {
    getEnveloped: yoga.getEnveloped,
    dispose: () => yoga.dispose(),
    /** Answers a request whose body, when it is a POST, has been read already. */
    async handle(request: IncomingMessage & { body?: string }, response: ServerResponse): Promise<void> {
      const { body, url = "" } = request;
      const answer = body === undefined ? null : await plainly(url, headersOf(request), body);
      if (answer === null) {
        await yoga.handle(request, response);
        return;
      }
      const bytes = Buffer.from(answer.text);
      response.writeHead(200, { "content-type": answer.contentType, "content-length": bytes.length });
      response.end(bytes);
    },
    async fetch(input: string | Request, init?: RequestInit): Promise<Response> {
      const request = new Request(input, init);
      const { pathname, search } = new URL(request.url);
      const answer =
        request.method === "POST"
          ? await plainly(`${pathname}${search}`, request.headers, await request.clone().text())
          : null;
      return answer === null
        ? yoga.fetch(request)
        : new Response(answer.text, { headers: { "content-type": answer.contentType } });
    },
  };
}

export type GraphqlServer = ReturnType<typeof openGraphql>;
