import { lookup as lookUpName } from "node:dns/promises";
import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import {
  type OpenedAnswer,
  type OutgoingAnswer,
  type OutgoingCall,
  OutgoingFailed,
  type OutgoingHttp,
  OutgoingRefused,
} from "@wheelhouse/runtime";
import { type AllowList, isAllowedAddress, nameOf } from "./allowed-addresses.ts";

export interface Address {
  address: string;
  family: number;
}

export interface GuardedHttpOptions {
  allow: AllowList;
  /** Every address of a host name; the machine's resolver when absent. */
  resolve?: (host: string) => Promise<Address[]>;
}

/** A URL that passed, with the addresses that were checked: the call connects to these and asks no resolver again. */
interface Checked {
  url: URL;
  addresses: Address[];
}

/** The one way out of the process for addresses that others choose. See OutgoingHttp. */
export function guardedHttp({ allow, resolve = systemResolve }: GuardedHttpOptions): OutgoingHttp {
  async function within<T>(
    call: OutgoingCall,
    work: (checked: Checked, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { signal, end } = deadline(call);
    try {
      checkHeaders(call.headers);
      const url = checkUrl(call.url);
      const checked = { url, addresses: await untilAborted(addressesOf(url, allow, resolve), signal) };
      return await work(checked, signal);
    } catch (error) {
      throw signal.aborted ? failureOf(signal.reason) : failureOf(error);
    } finally {
      end();
    }
  }
  return {
    send: (call) => within(call, async (checked, signal) => wholeAnswer(call, await begin(call, checked, signal))),
    open: (call) => within(call, async (checked, signal) => openedAnswer(call, await begin(call, checked, signal))),
    async refusalOf(url) {
      try {
        await addressesOf(checkUrl(url), allow, resolve);
        return null;
      } catch (error) {
        // A name that cannot be looked up now may be known when it is called.
        return error instanceof OutgoingRefused ? error.message : null;
      }
    },
  };
}

function deadline(call: OutgoingCall): { signal: AbortSignal; end: () => void } {
  const timeout = new AbortController();
  const seconds = Math.round(call.timeoutMs / 100) / 10;
  const late = new OutgoingFailed(`No whole answer came within ${seconds} s`);
  const timer = setTimeout(() => timeout.abort(late), call.timeoutMs);
  const signal = call.signal === undefined ? timeout.signal : AbortSignal.any([timeout.signal, call.signal]);
  return { signal, end: () => clearTimeout(timer) };
}

const untilAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((done, fail) => {
    const abort = () => fail(failureOf(signal.reason));
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(done, fail).finally(() => signal.removeEventListener("abort", abort));
  });

/** The URL's own faults. The parser has written odd spellings of addresses (0x7f.1, 2130706433) in the usual way. */
function checkUrl(text: string): URL {
  if (!URL.canParse(text)) throw new OutgoingRefused("This is no complete URL; write https://…");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new OutgoingRefused("Only http and https addresses can be called");
  if (url.username !== "" || url.password !== "")
    throw new OutgoingRefused("The URL holds a user name or password; send credentials another way");
  return url;
}

async function addressesOf(
  url: URL,
  allow: AllowList,
  resolve: NonNullable<GuardedHttpOptions["resolve"]>,
): Promise<Address[]> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(nameOf(host)) : [{ address: host, family }];
  if (addresses.length === 0) throw new OutgoingFailed(`${host} has no address`);
  // One bad address is enough: a name that answers with both is trying its luck.
  const isAllowed = allow.hosts.has(nameOf(host)) || addresses.every(({ address }) => isAllowedAddress(address, allow));
  if (!isAllowed)
    throw new OutgoingRefused(
      `${host} is in a private or reserved network; the installation allows such addresses by WHEELHOUSE_OUTGOING_ALLOW`,
    );
  return addresses;
}

async function systemResolve(host: string): Promise<Address[]> {
  return await lookUpName(host, { all: true, verbatim: true });
}

const tokenPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII, spaces and tabs: no line can begin inside a value. */
const valuePattern = /^[\t\x20-\x7e]*$/;
/** These belong to the connection: whoever sets them can make one request look like two. */
const connectionHeaders = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function checkHeaders(headers: OutgoingCall["headers"]): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!tokenPattern.test(name) || connectionHeaders.has(name.toLowerCase()))
      throw new OutgoingRefused(`The header ${JSON.stringify(name.slice(0, 50))} may not be set`);
    if (!valuePattern.test(value))
      throw new OutgoingRefused(`The header ${name} has characters that no header may have`);
  }
}

/** Sends on a connection of its own and waits for the answer to begin; whatever it says, nothing else is called. */
function begin(call: OutgoingCall, { url, addresses }: Checked, signal: AbortSignal): Promise<http.IncomingMessage> {
  const { method, headers, body } = call;
  const start: typeof http.request = url.protocol === "https:" ? https.request : http.request;
  return new Promise((done, fail) => {
    const request = start(
      url,
      {
        method,
        headers,
        agent: false,
        lookup: pinned(addresses),
        signal,
        maxHeaderSize: 16_384,
        insecureHTTPParser: false,
      },
      done,
    );
    request.on("error", fail);
    request.end(body);
  });
}

/** Answers the connection's look-up with the addresses that were checked, so that a name cannot change its mind. */
const pinned =
  (addresses: readonly Address[]): LookupFunction =>
  (_host, _options, answer) =>
    answer(null, [...addresses]);

const statusOf = ({ statusCode = 0 }: http.IncomingMessage): number => statusCode;

async function wholeAnswer(
  { maxResponseBytes }: OutgoingCall,
  response: http.IncomingMessage,
): Promise<OutgoingAnswer> {
  const read = await readBody(response, maxResponseBytes);
  return { status: statusOf(response), headers: headersOf(response), ...read };
}

function openedAnswer({ maxResponseBytes, signal }: OutgoingCall, response: http.IncomingMessage): OpenedAnswer {
  const pieces = limited(response, maxResponseBytes);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const next = await pieces.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      } catch (error) {
        controller.error(failureOf(signal?.aborted ? signal.reason : error));
      }
    },
    cancel() {
      response.destroy();
    },
  });
  return { status: statusOf(response), headers: headersOf(response), body };
}

async function* limited(
  response: http.IncomingMessage,
  maxBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  let room = maxBytes;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError("A response without encoding gives buffers");
    room -= chunk.length;
    // Leaving the loop closes the connection: the rest is never read.
    if (room < 0) throw new OutgoingFailed(`The answer is longer than ${maxBytes} bytes`);
    yield new Uint8Array(chunk);
  }
}

async function readBody(
  response: http.IncomingMessage,
  maxBytes: number,
): Promise<{ body: string; truncated: boolean }> {
  const decoder = new TextDecoder();
  let body = "";
  let room = maxBytes;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError("A response without encoding gives buffers");
    body += decoder.decode(new Uint8Array(chunk.subarray(0, room)), { stream: true });
    // Leaving the loop closes the connection: the rest is never read.
    if (chunk.length > room) return { body: body + decoder.decode(), truncated: true };
    room -= chunk.length;
  }
  return { body: body + decoder.decode(), truncated: false };
}

const headersOf = (response: http.IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The connection was refused",
  ECONNRESET: "The connection was closed before the answer was complete",
  EPIPE: "The connection was closed before the request was complete",
  ENOTFOUND: "The host name is not known",
  EAI_AGAIN: "The host name could not be looked up",
  ETIMEDOUT: "The connection could not be made in time",
  EHOSTUNREACH: "The host cannot be reached",
  ENETUNREACH: "The network cannot be reached",
};

/** What went wrong, without addresses or anything that the other side said. */
function failureOf(error: unknown): OutgoingRefused | OutgoingFailed {
  if (error instanceof OutgoingRefused || error instanceof OutgoingFailed) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (error instanceof Error && error.name === "AbortError") return new OutgoingFailed("The call was stopped");
  return new OutgoingFailed(reasons[code] ?? (code === "" ? "The call failed" : `The call failed (${code})`));
}
