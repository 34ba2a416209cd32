/** What went wrong, in words for an operator, and what can be done about it. */
export interface DescribedError {
  kind: "signed-out" | "forbidden" | "not-found" | "offline" | "invalid" | "failed";
  title: string;
  message: string;
  code: string | null;
  retryable: boolean;
}

const codeOf = (error: unknown): string | null => {
  const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : null;
  return typeof code === "string" ? code : null;
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Puts any error of the API, the network or the page into words. */
export function describeError(error: unknown): DescribedError {
  const code = codeOf(error);
  const message = messageOf(error);
  switch (code) {
    case "UNAUTHENTICATED":
    case "HTTP_401":
      return {
        kind: "signed-out",
        title: "You are signed out",
        message: "Your session ended or was revoked. Sign in again to go on where you were.",
        code,
        retryable: false,
      };
    case "FORBIDDEN":
    case "HTTP_403":
      return {
        kind: "forbidden",
        title: "You may not see this",
        message: "Your role in this project does not allow it. An owner of the project can change your role.",
        code,
        retryable: false,
      };
    case "NOT_FOUND":
    case "AGENT_NOT_FOUND":
    case "INVALID_ID":
      return {
        kind: "not-found",
        title: "Not found",
        message: "It does not exist, was deleted, or belongs to a project that you are not a member of.",
        code,
        retryable: false,
      };
    case "NETWORK":
      return {
        kind: "offline",
        title: "The server cannot be reached",
        message: "The network is down, or the server is restarting. The page tries again by itself.",
        code,
        retryable: true,
      };
    case "INVALID_CURSOR":
      return {
        kind: "invalid",
        title: "This list changed",
        message: "The place in the list that was asked for no longer exists. Reload the list from its beginning.",
        code,
        retryable: true,
      };
    default:
      return { kind: "failed", title: "Something went wrong", message, code, retryable: true };
  }
}
