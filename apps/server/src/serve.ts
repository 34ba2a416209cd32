import type { IncomingMessage, ServerResponse } from "node:http";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "@wheelhouse/domain";
import {
  buildSchema,
  type Caller,
  type GraphContext,
  maskError,
  openLiveRoom,
  type Transport,
} from "@wheelhouse/graphql";
import { type Log, periodicWorks, registerSharedAgents, startPeriodicWork } from "@wheelhouse/runtime";
import { type AuthenticateDeps, authenticate } from "./access/authenticate.ts";
import { newOwnerLink, type OwnerLinkDeps } from "./access/owner-link.ts";
import { headersOf, readBody, sendResponse } from "./http/answers.ts";
import { type ArtifactsRoom, answerArtifacts } from "./http/artifacts.ts";
import { type Backoffice, missingPages, openBackoffice } from "./http/backoffice.ts";
import { type GraphqlServer, openGraphql } from "./http/graphql.ts";
import { type HealthState, livenessOf, readinessOf, schemaProblem } from "./http/health.ts";
import { type HttpServer, listen, type Rooms } from "./http/server.ts";
import { answerSetup } from "./http/setup-endpoint.ts";
import { openSockets, type Sockets } from "./http/sockets.ts";
import { workerRooms } from "./http/worker-rooms.ts";
import { type Installation, type InstallationOptions, localUrl, openInstallation } from "./installation.ts";
import { type Role, requireReplicas } from "./role.ts";

export interface ServeOptions extends InstallationOptions {
  /** Pages with hot reloading instead of built ones. */
  dev: boolean;
  /** False: answers the API only. */
  pages?: boolean;
  /** What this process does; everything when absent. */
  role?: Role;
}

export interface RunningServer {
  /** Where it listens. */
  readonly url: string;
  /** The one-time link for the first owner; null when there is one. */
  readonly ownerLink: string | null;
  readonly installation: Installation;
  /** The API as a function, without a socket; null when this process only executes runs. */
  readonly graphql: GraphqlServer | null;
  /** Lets runs finish, says goodbye to clients, and closes everything. */
  close(): Promise<void>;
}

/** How often a process that waits for its schema looks again, milliseconds. */
const schemaPollMs = 2_000;

/** Serves its role on one port. Resolves when it is ready; until then health says what is missing. */
export async function serve(options: ServeOptions, signal: AbortSignal): Promise<RunningServer | null> {
  const { settings, log, newId, role = "all" } = options;
  requireReplicas(role, options.database.kind);
  const state: State = {
    ...{ role, schema: "not looked at yet", storage: null, bodies: null, worker: null, stopping: false, sweeps: null },
    suspectedAt: null,
  };
  const http = await listen({
    host: settings.HOST,
    port: settings.PORT,
    trustedOrigins: settings.WHEELHOUSE_TRUSTED_ORIGINS,
    health: () => readinessOf(state),
    liveness: () => livenessOf(state),
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

interface State extends HealthState {
  /** Everything a process that does work looks after beside its runs. */
  sweeps: AsyncDisposable | null;
  /** In development, what reads the workspace again. */
  watching?: Disposable;
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
  const { settings, database, log } = options;
  const installation = await openInstallation(options);
  const { runtime } = installation;
  state.bodies = runtime.bodies;
  state.storage = { storage: runtime.storage, leaseMs: runtime.tunables.leaseMs };
  try {
    await registerSharedAgents(runtime, installation.project.id);
    if (database.kind !== "postgres") {
      // One process: whoever held a lease is dead.
      const released = await runtime.storage.runs.releaseAll();
      if (released > 0) log.info({ runs: released }, "runs of the process before are taken up again");
    }
    const doors = state.role === "worker" ? null : await openDoors(options, installation, http);
    http.open(doors?.rooms ?? workerRooms);
    if (state.role !== "api") {
      state.worker = installation.startWorker(state.role);
      state.sweeps = startPeriodicWork(runtime, periodicWorks);
    }
    if (options.dev) state.watching = installation.watchWorkspace();
    const url = settings.PUBLIC_URL ?? `http://${hostForPeople(settings.HOST)}:${http.port}`;
    const link = doors?.ownerLink ?? null;
    return {
      url,
      ownerLink: link === null ? null : `${url}${link}`,
      installation,
      graphql: doors?.graphql ?? null,
      close: () => closeAll({ state, http, doors, installation, log }),
    };
  } catch (error) {
    state.watching?.[Symbol.dispose]();
    await state.sweeps?.[Symbol.asyncDispose]();
    await state.worker?.[Symbol.asyncDispose]();
    await installation[Symbol.asyncDispose]();
    throw error;
  }
}

/** What a process has that answers people and applications. */
interface Doors {
  graphql: GraphqlServer;
  sockets: Sockets;
  pages: Backoffice | null;
  rooms: Rooms;
  /** Path of the one-time link. */
  ownerLink: string | null;
}

async function openDoors(options: ServeOptions, installation: Installation, http: HttpServer): Promise<Doors> {
  const { settings, log, dev } = options;
  const { runtime } = installation;
  const pages = options.pages === false ? null : await openBackoffice({ dev, host: settings.HOST, port: http.port });
  if (pages === null && options.pages !== false)
    log.warn({}, "the backoffice has not been built: only the API is served (npm start builds it)");
  const access = accessOf(options, installation);
  const graphql = openApi(options, installation, access);
  const admit = async (headers: Headers): Promise<void> => void (await admitted(access, headers));
  const sockets = openSockets(graphql, admit, (error) => maskError(error, options.newId(), log));
  const owner: OwnerLinkDeps = {
    access: runtime.storage.access,
    verifications: installation.models.verification,
    signIn: installation.signIn,
    newId: options.newId,
    now: () => options.clock.now(),
  };
  const ownerLink = await newOwnerLink(owner);
  const artifacts: ArtifactsRoom = {
    runtime,
    authorityOf: async (headers) => (await admitted(access, headers)).authority,
  };
  const rooms = roomsOf({ graphql, sockets, pages, installation, artifacts, owner, publicUrl: localUrl(settings) });
  return { graphql, sockets, pages, rooms, ownerLink };
}

/** Who sends a request with these headers; refuses when nobody does. */
async function admitted(access: AuthenticateDeps, headers: Headers): Promise<Caller> {
  const caller = await authenticate(access, headers);
  if (caller === null) throw new Refusal("UNAUTHENTICATED", "Sign in, or send an API key");
  return caller;
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
  const live = openLiveRoom({ replica: `${hostname()}-${process.pid}`, clock: options.clock, newId });
  const contextOf = async (headers: Headers, requestId: string, transport: Transport): Promise<GraphContext> => {
    const caller = await authenticate(access, headers);
    return {
      requestId,
      caller,
      prisma: installation.models,
      rows: installation.rows,
      runtime: installation.runtime,
      ...{ live, transport },
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

interface Opened extends Pick<Doors, "graphql" | "sockets" | "pages"> {
  installation: Installation;
  artifacts: ArtifactsRoom;
  owner: OwnerLinkDeps;
  publicUrl: string;
}

function roomsOf(opened: Opened): Rooms {
  const { graphql, sockets, pages, installation, owner } = opened;
  return {
    graphql: async (request, response) => {
      await graphql.handle(request, response);
    },
    graphqlSocket: (request, socket, head) => sockets.upgrade(request, socket, head),
    artifacts: (request, response) => answerArtifacts(opened.artifacts, request, response),
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

interface Running {
  state: State;
  http: HttpServer;
  doors: Doors | null;
  installation: Installation;
  log: Log;
}

async function closeAll({ state, http, doors, installation, log }: Running): Promise<void> {
  state.stopping = true;
  state.watching?.[Symbol.dispose]();
  http.stop();
  // Readers go first: they find another replica, or this one when it is back, and go on from their cursors.
  await doors?.sockets.close();
  const running = state.worker?.running ?? 0;
  if (running > 0) log.info({ runs: running }, "letting runs finish");
  await state.sweeps?.[Symbol.asyncDispose]();
  await state.worker?.drain();
  await http.cut();
  await doors?.graphql.dispose();
  await doors?.pages?.close();
  await installation[Symbol.asyncDispose]();
}
