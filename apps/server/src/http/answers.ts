import type { IncomingMessage, ServerResponse } from "node:http";

/** Longest request body, bytes. */
export const maxBodyBytes = 1_048_576;

/**
 * As much of a body that is too long is still taken off the wire, bytes: whoever is cut off while it writes sees a broken
 * connection and never the refusal.
 */
const maxPassedBytes = 32 * maxBodyBytes;

export class BodyTooLarge extends Error {}

/** The text of a request's body; throws `BodyTooLarge`. */
export async function readBody(request: IncomingMessage): Promise<string> {
  if (Number(request.headers["content-length"] ?? 0) > maxPassedBytes) throw new BodyTooLarge();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const piece: Uint8Array = chunk;
    bytes += piece.length;
    if (bytes <= maxBodyBytes) chunks.push(piece);
    else chunks.length = 0;
    if (bytes > maxPassedBytes) break;
  }
  if (bytes > maxBodyBytes) throw new BodyTooLarge();
  return Buffer.concat(chunks).toString("utf8");
}

/** Takes what is left of a request's body off the wire, as far as that is worth it. */
export async function passBody(request: IncomingMessage): Promise<void> {
  let bytes = 0;
  const expected = Number(request.headers["content-length"] ?? 0);
  if (request.complete || request.destroyed || expected > maxPassedBytes) return;
  await new Promise<void>((resolve) => {
    request.on("data", (chunk: { length: number }) => {
      bytes += chunk.length;
      if (bytes > maxPassedBytes) resolve();
    });
    for (const end of ["end", "close", "error"]) request.once(end, () => resolve());
    request.resume();
  });
}

export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent) return void response.end();
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
  });
  response.end(text);
}

/** A refusal before any operation is known, in the shape of a GraphQL answer. */
export const graphqlError = (code: string, message: string, more: object = {}) => ({
  errors: [{ message, extensions: { code, ...more } }],
});

/** Sends a fetch `Response` of text. */
export async function sendResponse(from: Response, to: ServerResponse): Promise<void> {
  to.statusCode = from.status;
  for (const [name, value] of from.headers) if (name !== "set-cookie") to.setHeader(name, value);
  const cookies = from.headers.getSetCookie();
  if (cookies.length > 0) to.setHeader("set-cookie", cookies);
  to.end(await from.text());
}

export function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !name.startsWith(":"))
      for (const item of Array.isArray(value) ? value : [value]) headers.append(name, item);
  return headers;
}
