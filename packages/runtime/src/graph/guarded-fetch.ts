import type { OutgoingCall, OutgoingHttp } from "../outgoing-http.ts";

/** As libraries call it that bring no HTTP of their own. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface GuardedFetchOptions {
  /** Until an answer begins, milliseconds. */
  timeoutMs: number;
  /** Of one answer, all of its pieces together. */
  maxResponseBytes: number;
  /** Read for every call, and sent whatever the library sets. */
  headers?: () => Readonly<Record<string, string>>;
}

/**
 * A `fetch` that goes through the one way out, for clients of addresses that a definition names: providers, MCP servers.
 * Redirects are answers like others; whoever follows one calls again, and is checked again.
 */
export function guardedFetch(outgoing: OutgoingHttp, options: GuardedFetchOptions): Fetch {
  return async (input, init) => {
    // The address is taken as it is given: a Request would refuse some with words of its own.
    const request = input instanceof Request ? new Request(input, init) : new Request(nowhere, init);
    const body = request.body === null ? undefined : await request.text();
    const { timeoutMs, maxResponseBytes } = options;
    const answer = await outgoing.open({
      method: methodOf(request.method),
      url: input instanceof Request ? input.url : String(input),
      headers: { ...sentHeaders(request.headers), ...options.headers?.() },
      ...(body === undefined ? {} : { body }),
      ...{ timeoutMs, maxResponseBytes, signal: request.signal },
    });
    const isBodiless = bodiless.has(answer.status);
    if (isBodiless) await answer.body.cancel();
    return new Response(isBodiless ? null : answer.body, { status: answer.status, headers: answer.headers });
  };
}

const nowhere = "http://nowhere.invalid/";

/** `Response` accepts no body with these. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

function sentHeaders(given: Headers): Record<string, string> {
  const headers: Record<string, string> = {};
  given.forEach((value, name) => {
    // Answers come as they are, as nothing here unpacks them; the length is counted where they are sent.
    if (name !== "accept-encoding" && name !== "content-length") headers[name] = value;
  });
  return headers;
}

const methods: readonly OutgoingCall["method"][] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

function methodOf(given: string): OutgoingCall["method"] {
  const method = methods.find((known) => known === given);
  if (method === undefined) throw new TypeError(`${given} is not called from here`);
  return method;
}
