import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { McpFailureCategory } from "../graph-host.ts";
import { OutgoingFailed, OutgoingRefused } from "../outgoing-http.ts";
import { RunRefusal } from "./classify-failure.ts";

/**
 * A server that cannot be used now. Its message is fit for callers: it holds nothing that the server said, as servers
 * repeat what they were sent.
 */
export class McpUnavailable extends Error {
  readonly category: McpFailureCategory;

  constructor(category: McpFailureCategory, message: string) {
    super(message);
    this.name = "McpUnavailable";
    this.category = category;
  }
}

/** What a thrown value means. `outgoing` is what the way out said last: the protocol's library hides it in its own words. */
export function unavailable(error: unknown, outgoing: Error | null): McpUnavailable {
  if (error instanceof McpUnavailable) return error;
  if (error instanceof RunRefusal) return new McpUnavailable("CONFIGURATION", error.failure.message);
  const way = error instanceof OutgoingRefused || error instanceof OutgoingFailed ? error : outgoing;
  if (way instanceof RunRefusal) return new McpUnavailable("CONFIGURATION", way.failure.message);
  if (way instanceof OutgoingRefused) return new McpUnavailable("REFUSED", way.message);
  if (way !== null) return new McpUnavailable("UNREACHABLE", way.message);
  const status = statusOf(error);
  if (status === 401 || status === 403)
    return new McpUnavailable("AUTHENTICATION", `The server answered ${status}: it does not accept the headers`);
  if (status !== null) return new McpUnavailable("UNREACHABLE", `The server answered ${status}`);
  if (error instanceof McpError && error.code === ErrorCode.RequestTimeout)
    return new McpUnavailable("TIMEOUT", "The server did not answer in time");
  if (error instanceof McpError && error.code === ErrorCode.ConnectionClosed)
    return new McpUnavailable("UNREACHABLE", "The server closed the connection");
  return new McpUnavailable("PROTOCOL", "The server does not answer as the protocol asks");
}

/** The server does not know the conversation any more, and did nothing. */
export class SessionGone extends Error {
  constructor() {
    super("The server does not know the conversation any more");
    this.name = "SessionGone";
  }
}

/** Whether the server does not know the session any more: it was started again, or has tidied up. Nothing was done. */
export const isSessionGone = (error: unknown): boolean => error instanceof StreamableHTTPError && error.code === 404;

/** The HTTP status in an error of either transport. */
function statusOf(error: unknown): number | null {
  const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
  return typeof code === "number" && code >= 100 && code < 600 ? code : null;
}
