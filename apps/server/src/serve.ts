import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "@wheelhouse/domain";
import { buildSchema, type GraphContext, maskError } from "@wheelhouse/graphql";
import { type Log, registerSharedAgents, type Worker } from "@wheelhouse/runtime";
import { type AuthenticateDeps, authenticate } from "./access/authenticate.ts";
import { newOwnerLink, type OwnerLinkDeps } from "./access/owner-link.ts";
import { headersOf, readBody, sendResponse } from "./http/answers.ts";
import { type Backoffice, missingPages, openBackoffice } from "./http/backoffice.ts";
import { type GraphqlServer, openGraphql } from "./http/graphql.ts";
import { type Health, pingDatabase, schemaProblem } from "./http/health.ts";
import { type HttpServer, listen, type Rooms } from "./http/server.ts";
import { answerSetup } from "./http/setup-endpoint.ts";
import { openSockets, type Sockets } from "./http/sockets.ts";
import { type Installation, type InstallationOptions, localUrl, openInstallation } from "./installation.ts";

export interface ServeOptions extends InstallationOptions {
  /** Pages with hot reloading instead of built ones. */
  dev: boolean;
  /** False: answers the API only. */
  pages?: boolean;
}

export interface RunningServer {
  /** Where it listens. */
  readonly url: string;
  /** The one-time link for the first owner; null when there is one. */
  readonly ownerLink: string | null;
  readonly installation: Installation;
  /** The API as a function, without a socket. */
  readonly graphql: GraphqlServer;
  /** Lets runs finish, says goodbye to clients, and closes everything. */
  close(): Promise<void>;
}

/** How often a process that waits for its schema looks again, milliseconds. */
const schemaPollMs = 2_000;

/** Serves everything on one port. Resolves when it is ready; until then health says what is missing. */
export async function serve(options: ServeOptions, signal: AbortSignal): Promise<RunningServer | null> {
  const { settings, log, newId } = options;
  const state: State = { schema: "not looked at yet", installation: null, worker: null, stopping: false };
  const http = await listen({
    host: settings.HOST,
    port: settings.PORT,
    trustedOrigins: settings.WHEELHOUSE_TRUSTED_ORIGINS,
    health: () => healthOf(state),
    newId,
    log,
  });
  try {
    if (!(await schemaReady(options, state, signal))) {
      http.stop();
      await http.cut();
      return null;
    }
    return await openRooms(options, state, http);
  } catch (error) {
    http.stop();
    await http.cut();
    throw error;
  }
}

interface State {
  /** What is wrong with the schema; null when nothing is. */
  schema: string | null;
  installation: Installation | null;
  worker: Worker | null;
  stopping: boolean;
}

async function healthOf(state: State): Promise<Health> {
  const { installation, worker, schema, stopping } = state;
  const checks = {
    schema: schema === null ? { ok: true } : { ok: false, message: schema },
    database:
      installation === null
        ? { ok: false, message: "not open yet" }
        : await pingDatabase(() => installation.runtime.storage.ping()),
    worker:
      worker === null || stopping ? { ok: false, message: stopping ? "stopping" : "not started yet" } : { ok: true },
  };
  return { ready: Object.values(checks).every((check) => check.ok), checks };
}

/** Brings the schema up to date, or waits until somebody has. False when the process was told to stop meanwhile. */
async function schemaReady(options: ServeOptions, state: State, signal: AbortSignal): Promise<boolean> {
  const { database, settings, log } = options;
  if (database.kind === "memory") {
    state.schema = null;
    return true;
  }
  if (settings.WHEELHOUSE_AUTO_MIGRATE ?? database.kind === "sqlite") {
    const applied = await database.migrate();
    if (applied.length > 0) log.info({ migrations: applied }, "migrated the database");
  }
  let said: string | null = null;
  while (!signal.aborted) {
    state.schema = schemaProblem(await database.schemaState());
    if (state.schema === null) return true;
    if (said !== state.schema) log.error({}, `not ready: ${state.schema}`);
    said = state.schema;
    await sleep(schemaPollMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

async function openRooms(options: ServeOptions, state: State, http: HttpServer): Promise<RunningServer> {
  const { settings, database, log, dev } = options;
  const installation = await openInstallation(options);
  state.installation = installation;
  try {
    const { runtime } = installation;
    await registerSharedAgents(runtime, installation.project.id);
    if (database.kind !== "postgres") {
      // One process: whoever held a lease is dead.
      const released = await runtime.storage.runs.releaseAll(runtime.clock.now());
      if (released > 0) log.info({ runs: released }, "runs of the process before are taken up again");
    }
    const pages = options.pages === false ? null : await openBackoffice({ dev, host: settings.HOST, port: http.port });
    if (pages === null && options.pages !== false)
      log.warn({}, "the backoffice has not been built: only the API is served (npm start builds it)");
    const access = accessOf(options, installation);
    const graphql = openApi(options, installation, access);
    const admit = async (headers: Headers): Promise<void> => {
      if ((await authenticate(access, headers)) === null)
        throw new Refusal("UNAUTHENTICATED", "Sign in, or send an API key");
    };
    const sockets = openSockets(graphql, admit, (error) => maskError(error, options.newId(), log));
    const owner: OwnerLinkDeps = {
      access: runtime.storage.access,
      verifications: installation.models.verification,
      signIn: installation.signIn,
      newId: options.newId,
      now: () => options.clock.now(),
    };
    const link = await newOwnerLink(owner);
    http.open(roomsOf({ graphql, sockets, pages, installation, owner, publicUrl: localUrl(settings) }));
    state.worker = installation.startWorker();
    const url = settings.PUBLIC_URL ?? `http://${hostForPeople(settings.HOST)}:${http.port}`;
    return {
      url,
      ownerLink: link === null ? null : `${url}${link}`,
      installation,
      graphql,
      close: () => closeAll({ state, http, sockets, pages, installation, graphql, log }),
    };
  } catch (error) {
    await state.worker?.[Symbol.asyncDispose]();
    await installation[Symbol.asyncDispose]();
    throw error;
  }
}

const hostForPeople = (host: string): string => (host === "0.0.0.0" || host === "127.0.0.1" ? "localhost" : host);

function accessOf({ settings, clock }: ServeOptions, { runtime, signIn }: Installation): AuthenticateDeps {
  return {
    access: runtime.storage.access,
    userOf: (headers) => signIn.userOf(headers),
    scopeKeys: settings.WHEELHOUSE_SCOPE_KEYS,
    now: () => clock.now(),
  };
}

function openApi(options: ServeOptions, installation: Installation, access: AuthenticateDeps): GraphqlServer {
  const { settings, log, newId, dev } = options;
  const contextOf = async (headers: Headers, requestId: string): Promise<GraphContext> => {
    const caller = await authenticate(access, headers);
    return {
      requestId,
      caller,
      prisma: installation.models,
      runtime: installation.runtime,
      stillAllowed: () => isStill(access, headers, caller),
    };
  };
  return openGraphql({
    schema: buildSchema(),
    contextOf,
    newId,
    log,
    graphiql: settings.WHEELHOUSE_GRAPHIQL ?? dev,
    trustedOrigins: settings.WHEELHOUSE_TRUSTED_ORIGINS,
  });
}

/** Whether the same credentials still lead to the same reach. */
async function isStill(access: AuthenticateDeps, headers: Headers, before: GraphContext["caller"]): Promise<boolean> {
  try {
    const now = await authenticate(access, headers);
    return (
      now?.authority.projectId === before?.authority.projectId &&
      now?.authority.scopeKey === before?.authority.scopeKey &&
      now?.authority.reach === before?.authority.reach
    );
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

interface Opened {
  graphql: GraphqlServer;
  sockets: Sockets;
  pages: Backoffice | null;
  installation: Installation;
}

function roomsOf(opened: Opened & { owner: OwnerLinkDeps; publicUrl: string }): Rooms {
  const { graphql, sockets, pages, installation, owner } = opened;
  return {
    graphql: async (request, response) => {
      await graphql.handle(request, response);
    },
    graphqlSocket: (request, socket, head) => sockets.upgrade(request, socket, head),
    setup: (request, response) => answerSetup({ ...owner, projectId: installation.project.id }, request, response),
    signIn: async (request, response) => {
      await sendResponse(await installation.signIn.handler(await fetchRequest(opened.publicUrl, request)), response);
    },
    pages: async (request, response) => {
      if (pages !== null) return pages.handle(request, response);
      answerMissingPages(response);
    },
    pagesSocket: (request, socket, head) => {
      if (pages === null) socket.destroy();
      else pages.upgrade(request, socket, head);
    },
  };
}

function answerMissingPages(response: ServerResponse): void {
  response.writeHead(503, { "content-type": "text/html; charset=utf-8" });
  response.end(missingPages);
}

async function fetchRequest(publicUrl: string, request: IncomingMessage): Promise<Request> {
  const headers = headersOf(request);
  const { method = "GET" } = request;
  const url = new URL(request.url ?? "/", publicUrl);
  const body = method === "GET" || method === "HEAD" ? undefined : await readBody(request);
  // The limit on sign-in attempts counts addresses, and trusts no header for them.
  headers.set("x-forwarded-for", request.socket.remoteAddress ?? "127.0.0.1");
  return new Request(url, { method, headers, ...(body === undefined ? {} : { body }) });
}

async function closeAll(opened: Opened & { state: State; http: HttpServer; log: Log }): Promise<void> {
  const { state, http, sockets, pages, installation, graphql, log } = opened;
  state.stopping = true;
  http.stop();
  // Readers go first: they find another replica, or this one when it is back, and go on from their cursors.
  await sockets.close();
  const running = state.worker?.running ?? 0;
  if (running > 0) log.info({ runs: running }, "letting runs finish");
  await state.worker?.drain();
  await http.cut();
  await graphql.dispose();
  await pages?.close();
  await installation[Symbol.asyncDispose]();
}
