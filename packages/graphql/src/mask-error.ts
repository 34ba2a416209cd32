import { Refusal } from "@wheelhouse/domain";
import type { Log } from "@wheelhouse/runtime";
import { GraphQLError } from "graphql";

/** Which HTTP status a refusal of the whole request has; the others are answers like any other. */
const httpStatus: Partial<Record<string, number>> = { UNAUTHENTICATED: 401, SCOPE_REQUIRED: 403 };

/** A refusal as an error of the operation: for queries, subscriptions, and what a union has no member for. */
export function refusalError(refusal: Refusal, at?: GraphQLError): GraphQLError {
  const { code, retryable, issues, detail } = refusal;
  const status = httpStatus[code];
  return new GraphQLError(refusal.message, {
    nodes: at?.nodes,
    source: at?.source,
    positions: at?.positions,
    path: at?.path,
    extensions: {
      code,
      retryable,
      ...(issues.length > 0 ? { issues } : {}),
      ...(code === "RESYNC" ? { cursor: detail.cursor, reason: detail.reason } : {}),
      // Only for what failed before anything was executed: a refused field leaves the other fields' answer at 200.
      ...(status !== undefined && at?.path === undefined ? { http: { status } } : {}),
    },
  });
}

/**
 * What a caller may see of an error: refusals and mistakes in the request as they are, everything else as INTERNAL with
 * the id of the request, under which it is logged once.
 */
export function maskError(error: unknown, requestId: string, log: Pick<Log, "error">): GraphQLError {
  if (error instanceof Refusal) return refusalError(error);
  if (error instanceof GraphQLError) {
    const cause = causeOf(error);
    if (cause instanceof Refusal) return refusalError(cause, error);
    // Parsing, validation and coercion fail with GraphQL errors of their own: they speak about the request.
    if (cause === undefined) {
      const code = error.extensions.code ?? "INVALID_INPUT";
      const { nodes, source, positions, path, extensions } = error;
      return new GraphQLError(error.message, { nodes, source, positions, path, extensions: { ...extensions, code } });
    }
    log.error({ err: cause, requestId, path: error.path?.join(".") }, "a request failed");
    return internal(requestId, error);
  }
  log.error({ err: error, requestId }, "a request failed");
  return internal(requestId);
}

function causeOf(error: GraphQLError): Error | undefined {
  let cause = error.originalError;
  while (cause instanceof GraphQLError) cause = cause.originalError;
  return cause ?? undefined;
}

const internal = (requestId: string, at?: GraphQLError): GraphQLError =>
  new GraphQLError("Something went wrong on our side; the log has the details under the request's id", {
    nodes: at?.nodes,
    path: at?.path,
    extensions: { code: "INTERNAL", requestId, retryable: true },
  });
