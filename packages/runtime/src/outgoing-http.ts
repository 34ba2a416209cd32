/** One call to an address that an operator or a model chose. */
export interface OutgoingCall {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  /** Names and values as they are sent; the connection's own headers (host, content-length …) are not the caller's. */
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** For everything together: the name's look-up, the connection, the answer to its last byte. Milliseconds. */
  timeoutMs: number;
  /** The answer is read no further than this. */
  maxResponseBytes: number;
  signal?: AbortSignal;
}

export interface OutgoingAnswer {
  status: number;
  /** Names in lower case; several of one name are joined. */
  headers: Readonly<Record<string, string>>;
  /** UTF-8; what stands behind `maxResponseBytes` is missing. */
  body: string;
  truncated: boolean;
}

/** An answer that is read as it comes. */
export interface OpenedAnswer {
  status: number;
  /** Names in lower case; several of one name are joined. */
  headers: Readonly<Record<string, string>>;
  /** Fails with OutgoingFailed when more than `maxResponseBytes` come; cancelling it closes the connection. */
  body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/**
 * The one way out: every call to an address that somebody outside the process can influence goes through it. It calls
 * public addresses, and those that the operator of the installation allows; it connects to the address that it
 * checked, and follows no redirect.
 */
export interface OutgoingHttp {
  /** Throws OutgoingRefused before anything is sent, OutgoingFailed when no whole answer came. */
  send(call: OutgoingCall): Promise<OutgoingAnswer>;
  /**
   * As `send`, for answers that go on for long: `timeoutMs` is the time until the answer begins, and `signal` ends
   * what comes after.
   */
  open(call: OutgoingCall): Promise<OpenedAnswer>;
  /** Why this URL may not be called, for a person; null when nothing is known against it now. */
  refusalOf(url: string): Promise<string | null>;
}

/** The call is not allowed. The message says why, and holds nothing of the URL but its host. */
export class OutgoingRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = "OutgoingRefused";
  }
}

/** The call was tried and brought no answer: a name that nobody knows, a closed port, a deadline. */
export class OutgoingFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = "OutgoingFailed";
  }
}
