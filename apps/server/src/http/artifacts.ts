import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { safeHeaders } from "@wheelhouse/artifacts";
import { type Authority, artifactUrl, Refusal, type RefusalCode } from "@wheelhouse/domain";
import {
  type ArtifactChoice,
  putArtifact,
  type ReadArtifact,
  type RuntimeDeps,
  readArtifact,
} from "@wheelhouse/runtime";
import { answerJson, graphqlError, headersOf, passBody } from "./answers.ts";
import { rangeOf } from "./byte-range.ts";

export interface ArtifactsRoom {
  runtime: RuntimeDeps;
  /** Who sends a request with these headers; refuses when nobody does. */
  authorityOf(headers: Headers): Promise<Authority>;
}

const statusOf: Partial<Record<RefusalCode, number>> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  SCOPE_REQUIRED: 403,
  NOT_FOUND: 404,
  ARTIFACT_CONFLICT: 409,
  BODY_MISSING: 410,
  TOO_LARGE: 413,
  QUOTA_EXCEEDED: 413,
  BODY_CORRUPT: 500,
  STORE_UNAVAILABLE: 503,
};

/**
 * The bytes of artifacts: `GET /artifacts/<global id or path>?version=` and `PUT /artifacts/<global id or path>`. A
 * path is written with or without its route: `/artifacts/files/a.txt` is `/files/a.txt`, `/artifacts/a.md` is
 * `/artifacts/a.md`. `?project=` names the project where a header cannot.
 */
export async function answerArtifacts(
  room: ArtifactsRoom,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "GET" } = request;
  const url = new URL(request.url ?? "/", "http://localhost");
  try {
    const authority = await room.authorityOf(senderOf(request, url));
    const path = decodedPath(url.pathname.slice("/artifacts/".length));
    if (method === "PUT") await put(room, authority, { request, response, url, path });
    else if (method === "GET" || method === "HEAD") await give(room, authority, { request, response, url, path });
    else {
      response.setHeader("allow", "GET, HEAD, PUT");
      answerJson(response, 405, graphqlError("METHOD_NOT_ALLOWED", "Artifacts are fetched with GET and sent with PUT"));
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await refuse(error, request, response);
  }
}

/** Who sends it. A browser that follows a link to a download sends no headers of ours: the address may name the project. */
function senderOf(request: IncomingMessage, url: URL): Headers {
  const headers = headersOf(request);
  const project = url.searchParams.get("project");
  if (project !== null && !headers.has("x-wheelhouse-project")) headers.set("x-wheelhouse-project", project);
  return headers;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  path: string;
}

function decodedPath(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    throw new Refusal("INVALID_INPUT", "path: is not percent-encoded UTF-8", {
      issues: [{ path: "path", message: "is not percent-encoded UTF-8" }],
    });
  }
}

async function refuse(refusal: Refusal, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Whoever is cut off while it writes sees a broken connection and never the refusal.
  await passBody(request);
  const { code, message, retryable, issues } = refusal;
  if (!response.headersSent && !request.complete) response.setHeader("connection", "close");
  answerJson(
    response,
    statusOf[code] ?? 400,
    graphqlError(code, message, { retryable, ...(issues.length > 0 ? { issues } : {}) }),
  );
}

const globalId = /^Artifact_([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;
const choiceOf = (path: string): ArtifactChoice => {
  const id = globalId.exec(path)?.[1];
  return id === undefined ? { path } : { id };
};

/** A number in the address; refuses what is none. */
function numberIn(url: URL, name: string): number | null {
  const value = url.searchParams.get(name);
  if (value === null) return null;
  if (!/^\d{1,9}$/.test(value))
    throw new Refusal("INVALID_INPUT", `${name}: must be a whole number`, {
      issues: [{ path: name, message: "must be a whole number" }],
    });
  return Number(value);
}

async function give({ runtime }: ArtifactsRoom, authority: Authority, exchange: Exchange): Promise<void> {
  const { request, response, url, path } = exchange;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const version = numberIn(url, "version");
  const found = await readArtifact(runtime, authority, { ...choiceOf(path), version, signal: gone.signal });
  const { bytes, checksum, contentType } = found.version;
  const etag = `"${checksum}"`;
  for (const [name, value] of Object.entries(safeHeaders(contentType, found.artifact.name)))
    response.setHeader(name, value);
  response.setHeader("etag", etag);
  response.setHeader("accept-ranges", "bytes");
  response.setHeader("last-modified", found.version.createdAt.toUTCString());
  response.setHeader("x-wheelhouse-version", found.version.version);
  // What a version is never changes; which one is the latest does, and so may who sees it.
  response.setHeader("cache-control", "private, no-cache");
  if (matches(request.headers["if-none-match"], etag)) return void response.writeHead(304).end();
  const ifRange = request.headers["if-range"];
  const range = ifRange === undefined || ifRange === etag ? rangeOf(request.headers.range, bytes) : null;
  if (range === "unsatisfiable") return void response.writeHead(416, { "content-range": `bytes */${bytes}` }).end();
  await send(found, range, exchange);
}

const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === "*" || header.split(",").some((each) => each.trim().replace(/^W\//, "") === etag));

async function send(
  found: ReadArtifact,
  range: { start: number; end: number } | null,
  { request, response }: Exchange,
): Promise<void> {
  const { bytes } = found.version;
  response.setHeader("content-length", range === null ? bytes : range.end - range.start + 1);
  if (range !== null) response.setHeader("content-range", `bytes ${range.start}-${range.end}/${bytes}`);
  const status = range === null ? 200 : 206;
  if (request.method === "HEAD") return void response.writeHead(status).end();
  let body: AsyncIterable<Uint8Array>;
  try {
    body = await found.body(range ?? undefined);
  } catch (error) {
    for (const name of ["content-length", "content-range", "content-disposition", "etag"]) response.removeHeader(name);
    throw error;
  }
  response.writeHead(status);
  try {
    await pipeline(Readable.from(body, { objectMode: false }), response);
  } catch (error) {
    // Too late for words: the body ends short of its length, which nobody takes for the whole.
    response.destroy();
    if (!isGone(error)) throw error;
  }
}

/** The other side went away, which is nobody's mistake. */
const isGone = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  (error.code === "ERR_STREAM_PREMATURE_CLOSE" || error.code === "ECONNRESET");

async function put({ runtime }: ArtifactsRoom, authority: Authority, exchange: Exchange): Promise<void> {
  const { request, response, url, path } = exchange;
  const gone = new AbortController();
  request.once("close", () => {
    if (!request.complete) gone.abort();
  });
  const { headers } = request;
  const length = headers["content-length"];
  const onlyNew = headers["if-none-match"]?.trim() === "*";
  try {
    const { artifact, version } = await putArtifact(runtime, authority, {
      ...(await placeOf(runtime, authority, path)),
      // Whoever refuses in the middle leaves the rest to be passed over.
      body: request.iterator({ destroyOnReturn: false }),
      bytes: length === undefined ? null : Number(length),
      contentType: headers["content-type"] ?? null,
      sha256: single(headers["x-wheelhouse-sha256"]),
      expectedVersion: onlyNew ? 0 : numberIn(url, "expectedVersion"),
      sessionId: sessionIn(url),
      source: "upload",
      signal: gone.signal,
    });
    const { id, path: place, kind } = artifact;
    response.setHeader("location", artifactUrl(id, version));
    answerJson(response, version === 1 ? 201 : 200, {
      ...{ id: `Artifact_${id}`, path: place, kind, version, url: artifactUrl(id) },
    });
  } catch (error) {
    if (!gone.signal.aborted) throw error;
    response.destroy();
  }
}

/** Where to put it: at a path of the sender's own scope, or, by its id, at an artifact's, whoever's scope that is. */
async function placeOf(runtime: RuntimeDeps, authority: Authority, path: string) {
  const choice = choiceOf(path);
  if (choice.id == null) return { path };
  const { artifact } = await readArtifact(runtime, authority, choice);
  return { path: artifact.path, scope: artifact.scope };
}

const single = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

function sessionIn(url: URL): string | null {
  const value = url.searchParams.get("sessionId");
  if (value === null) return null;
  const id = /^Session_([0-9a-f-]{36})$/.exec(value)?.[1];
  if (id === undefined)
    throw new Refusal("INVALID_ID", "sessionId: a Session id is wanted", {
      issues: [{ path: "sessionId", message: "a Session id is wanted" }],
    });
  return id;
}
