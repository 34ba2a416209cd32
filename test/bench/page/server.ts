import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { buildSchema, type GraphContext, openLiveRoom } from "@wheelhouse/graphql";
import { defaultTunables, type RuntimeDeps } from "@wheelhouse/runtime";
import { openGraphql } from "../../../apps/server/src/http/graphql.ts";
import { listen } from "../../../apps/server/src/http/server.ts";
import { serveTasks } from "../child.ts";
import { closedLoop, type Sample, type Stopwatch, startStopwatch } from "../measure.ts";
import { clock, newId, openWorld, silentLog } from "../world.ts";
import { pageRequest } from "./documents.ts";
import { openPlainStack } from "./plain-stack.ts";
import { openRawSql } from "./raw-sql.ts";

export type Way = "product" | "Yoga + Pothos + Prisma" | "http + pg, JSON built in SQL";

interface Opened {
  port: number;
  /** Answers the page without HTTP: the body. */
  answer(): Promise<string>;
}

const asRequest = (): Request =>
  new Request("http://localhost/graphql", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: pageRequest,
  });

const open: Record<Way, (url: string) => Promise<Opened>> = {
  product: async (url) => {
    const world = await openWorld(url);
    const caller = { authority: world.authority, email: null, isAdmin: true, projectIds: [world.projectId] };
    const runtime: Pick<RuntimeDeps, "storage" | "tunables" | "clock" | "newId" | "log"> = {
      ...{ storage: world.storage, tunables: defaultTunables, clock, newId, log: silentLog },
    };
    // Reading rows takes neither agents nor graphs.
    const rest = {
      caller,
      prisma: world.models,
      rows: world.rows,
      runtime: runtime as RuntimeDeps,
      stillAllowed: async () => true,
      live: openLiveRoom({ replica: "bench", clock, newId }),
    };
    const graphql = openGraphql({
      schema: buildSchema(),
      contextOf: async (_headers, requestId, transport): Promise<GraphContext> => ({ ...rest, requestId, transport }),
      newId,
      log: silentLog,
      graphiql: false,
      trustedOrigins: [],
    });
    const health = async () => ({ ready: true, checks: {} });
    const liveness = async () => ({ stuck: [] });
    const http = await listen({
      ...{ host: "127.0.0.1", port: 0, trustedOrigins: [], newId, log: silentLog },
      ...{ health, liveness },
    });
    const elsewhere = async (): Promise<void> => undefined;
    http.open({
      graphql: async (request, response) => {
        await graphql.handle(request, response);
      },
      graphqlSocket: (_request, socket) => socket.destroy(),
      artifacts: elsewhere,
      setup: elsewhere,
      signIn: elsewhere,
      pages: elsewhere,
      pagesSocket: (_request, socket) => socket.destroy(),
    });
    return { port: http.port, answer: async () => (await graphql.fetch(asRequest())).text() };
  },
  "Yoga + Pothos + Prisma": async (url) => {
    const yoga = openPlainStack(url, await projectIdOf(url));
    return { port: await listenOn(yoga), answer: async () => (await yoga.fetch(asRequest())).text() };
  },
  "http + pg, JSON built in SQL": async (url) => {
    const raw = openRawSql(url, await projectIdOf(url));
    return { port: await listenOn(raw.listener), answer: raw.answer };
  },
};

async function projectIdOf(url: string): Promise<string> {
  const { storage, projectId } = await openWorld(url);
  await storage[Symbol.asyncDispose]();
  return projectId;
}

async function listenOn(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port; // listening on TCP
}

let opened: Opened | undefined;
let stopwatch: Stopwatch | undefined;
const isOpen = (): Opened => {
  if (!opened) throw new Error("Nothing is open");
  return opened;
};

const tasks = {
  async open({ way, url }: { way: Way; url: string }): Promise<{ port: number }> {
    opened = await open[way](url);
    return { port: opened.port };
  },
  async answer(_: null): Promise<string> {
    return isOpen().answer();
  },
  /** Answers pages without HTTP, four at a time. */
  async asFunction({ ms, warmUpMs }: { ms: number; warmUpMs: number }): Promise<Sample> {
    const operation = async (): Promise<number> => {
      const startedAt = performance.now();
      await isOpen().answer();
      return performance.now() - startedAt;
    };
    return closedLoop({ clients: 4, ms, warmUpMs, database: null, operation });
  },
  async begin(_: null): Promise<void> {
    stopwatch = await startStopwatch(null);
  },
  /** The CPU since `begin`, microseconds per operation. */
  async end({ operations }: { operations: number }): Promise<number> {
    return (await stopwatch?.stop(operations))?.cpuUs ?? Number.NaN;
  },
};

export type PageTasks = typeof tasks;

serveTasks(tasks);
