import type { IncomingMessage, ServerResponse } from "node:http";

/** Longest request body, bytes. */
export const maxBodyBytes = 1_048_576;

export class BodyTooLarge extends Error {}

/** The text of a request's body, refused as soon as it is too long. */
export async function readBody(request: IncomingMessage): Promise<string> {
  if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes) throw new BodyTooLarge();
  request.setEncoding("utf8");
  let text = "";
  let bytes = 0;
  for await (const chunk of request) {
    bytes += Buffer.byteLength(String(chunk));
    if (bytes > maxBodyBytes) throw new BodyTooLarge();
    text += String(chunk);
  }
  return text;
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
