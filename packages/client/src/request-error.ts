import type { GraphQLFormattedError } from "graphql";

/** What every failed call and every ended stream throws. Refusals of mutations are data, not errors. */
export class GraphQLRequestError extends Error {
  /**
   * The first error's `extensions.code`, or, where no GraphQL answer arrived: `NETWORK` (nothing came back), `HTTP_<status>`
   * (something else than GraphQL came back). `UNKNOWN` when the server named no code.
   */
  readonly code: string;
  /** All errors of the answer, as the server formatted them. Empty when no GraphQL answer arrived. */
  readonly errors: readonly GraphQLFormattedError[];
  /** The HTTP status, when there was an HTTP answer. */
  readonly status: number | null;
  /** What the server calls this request in its log, when it said so. */
  readonly requestId: string | null;
  /** The part of the data that could be answered nevertheless. */
  readonly data: unknown;

  constructor(
    message: string,
    more: {
      code?: string;
      errors?: readonly GraphQLFormattedError[];
      status?: number | null;
      data?: unknown;
      cause?: unknown;
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "GraphQLRequestError";
    this.errors = more.errors ?? [];
    this.code = more.code ?? textExtension(this.errors[0], "code") ?? "UNKNOWN";
    this.status = more.status ?? null;
    this.requestId = textExtension(this.errors[0], "requestId");
    this.data = more.data ?? null;
  }
}

/** One error out of the errors of an answer. */
export function errorOfAnswer(
  errors: readonly GraphQLFormattedError[],
  more: { status?: number; data?: unknown } = {},
): GraphQLRequestError {
  const messages = errors.map((error) => error.message);
  return new GraphQLRequestError(messages.join("; ") || "The server answered with an error", { errors, ...more });
}

/** A string among an error's extensions; null when it is absent or something else. */
export function textExtension(error: GraphQLFormattedError | undefined, name: string): string | null {
  const value = error?.extensions?.[name];
  return typeof value === "string" ? value : null;
}
