import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BodyStore } from "@wheelhouse/artifacts";
import type { Tunables } from "@wheelhouse/runtime";
import { createGraphHost, type PersistenceConfig } from "@wheelhouse/runtime/graph";
import type { ProjectRecord, Storage } from "@wheelhouse/storage";
import { applyMigrations, openStorage, schemaState } from "@wheelhouse/storage/prisma";
import { v7 as newId } from "uuid";
import { newApiKey, type Permission } from "../../apps/server/src/access/api-key.ts";
import { parseEnvironment } from "../../apps/server/src/environment.ts";
import type { GraphqlServer } from "../../apps/server/src/http/graphql.ts";
import { type RunningServer, serve } from "../../apps/server/src/serve.ts";
import { databaseBodies } from "../worlds/database-bodies.ts";
import { type DatabaseKind, makeDatabase } from "./databases.ts";

/** What JSON.parse gives: answers are looked at with assertions, field by field. */
export type Parsed = ReturnType<typeof JSON.parse>;
type Answer = { data?: Parsed; errors?: { message: string; extensions: Record<string, Parsed> }[] };

export interface KeyWish {
  reach?: "EXACT" | "PROJECT";
  permissions?: Permission[];
  scope?: Record<string, string>;
  expiresAt?: Date;
}

/** A real server on a port of its own, with its database, and hands to use it. */
export interface ApiWorld extends AsyncDisposable {
  server: RunningServer & { graphql: GraphqlServer };
  /** What was logged, as JSON lines' objects. */
  logged: { level: string; fields: object; message: string }[];
  makeKey(wish?: KeyWish): Promise<string>;
  /** Asks the API as a function, without a socket. */
  ask(key: string | null, query: string, variables?: object, headers?: Record<string, string>): Promise<Answer>;
  /** Waits until a run has ended and answers its status. */
  ended(key: string, runId: string): Promise<string>;
}

export const workspace = fileURLToPath(new URL("workspace", import.meta.url));

export interface WorldWish {
  kind: DatabaseKind;
  environment?: Record<string, string>;
  tunables?: Partial<Tunables>;
  /** In the database when absent. The world closes it. */
  bodies?: BodyStore;
}

/** A new key of a project. */
export async function makeKey(storage: Storage, project: ProjectRecord, wish: KeyWish = {}): Promise<string> {
  const { reach = "PROJECT", permissions = ["read", "write"], scope = {}, expiresAt = null } = wish;
  const { key, prefix, secretHash } = newApiKey();
  await storage.access.createApiKey({
    projectId: project.id,
    name: `key ${prefix}`,
    prefix,
    secretHash,
    permissions,
    reach,
    fixedScope: reach === "EXACT" ? { ...scope, project: project.slug } : null,
    expiresAt,
    at: new Date(),
  });
  return key;
}

export async function openApiWorld(wish: WorldWish): Promise<ApiWorld> {
  const database = await makeDatabase(wish.kind);
  const settings = parseEnvironment({
    DATABASE_URL: database.url,
    PORT: "0",
    WHEELHOUSE_DATA_DIR: database.folder,
    WHEELHOUSE_WORKSPACE: workspace,
    WHEELHOUSE_SECRET: "a secret that only tests know, long enough",
    WHEELHOUSE_AUTO_MIGRATE: "true",
    WHEELHOUSE_DRAIN_SECONDS: "0",
    NODE_ENV: "test",
    ...wish.environment,
  });
  const logged: ApiWorld["logged"] = [];
  const note = (level: string) => (fields: object, message: string) => void logged.push({ level, fields, message });
  const log = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };
  const persistence: PersistenceConfig =
    wish.kind === "sqlite"
      ? { kind: "sqlite", file: join(database.folder, "graphs.db") }
      : { kind: "postgres", url: database.url, schema: "langgraph" };
  const target = { url: database.url };
  const running = await serve(
    {
      settings,
      dev: false,
      pages: false,
      database: {
        kind: wish.kind,
        open: (options) => openStorage({ ...target, ...options }),
        schemaState: () => schemaState(target),
        migrate: () => applyMigrations(target),
      },
      openBodies: async (storage) => {
        const { bodies, objectKeys } = databaseBodies(storage, { now: () => new Date() });
        return { bodies: wish.bodies ?? bodies, objectKeys };
      },
      openGraphs: (options) => createGraphHost({ ...options, persistence, env: {} }),
      environment: {},
      log,
      clock: { now: () => new Date() },
      newId,
      ...(wish.tunables === undefined ? {} : { tunables: wish.tunables }),
    },
    new AbortController().signal,
  );
  if (running === null || running.graphql === null) throw new Error("the server was told to stop before it was ready");
  const server = { ...running, graphql: running.graphql };
  const ask: ApiWorld["ask"] = async (key, query, variables, headers) => {
    const answer = await server.graphql.fetch("http://localhost/graphql", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...headers,
      },
      body: JSON.stringify({ query, variables }),
    });
    return (await answer.json()) as Answer;
  };
  return {
    server,
    logged,
    ask,
    makeKey: (wish) => makeKey(server.installation.runtime.storage, server.installation.project, wish),
    async ended(key, runId) {
      const { body } = await server.graphql.fetch("http://localhost/graphql", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "text/event-stream",
          authorization: `Bearer ${key}`,
        },
        body: JSON.stringify({ query: `subscription { runEvents(runId: "${runId}") { terminal } }` }),
      });
      // The stream ends with the run.
      if (body !== null) for await (const _ of body);
      return (await ask(key, `{ run(id: "${runId}") { status } }`)).data.run.status;
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await database[Symbol.asyncDispose]();
    },
  };
}
