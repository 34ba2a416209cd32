import { buildSchema, type GraphContext, openLiveRoom } from "@wheelhouse/graphql";
import { defaultTunables, openSessionTails, type RuntimeDeps } from "@wheelhouse/runtime";
import { openGraphql } from "../../../apps/server/src/http/graphql.ts";
import { openSockets } from "../../../apps/server/src/http/sockets.ts";
import { clock, newId, openWorld, registerIdleAgent, silentLog } from "../world.ts";
import { EventLogs } from "./event-log.ts";
import type { Delivery } from "./server.ts";

/** The product's own road from a log to sockets; only the log is kept in memory, so that the database is not measured. */
export async function openProduct(sessions: number): Promise<{ delivery: Delivery; sessionIds: string[] }> {
  const world = await openWorld("memory:");
  await registerIdleAgent(world);
  const logs = new EventLogs(world.projectId);
  const storage = logs.within(world.storage);
  const tails = openSessionTails({ storage, log: silentLog, tunables: defaultTunables });
  const runtime: Pick<RuntimeDeps, "storage" | "tails" | "tunables" | "clock" | "newId" | "log"> = {
    storage,
    tails,
    tunables: defaultTunables,
    clock,
    newId,
    log: silentLog,
  };
  const context: Omit<GraphContext, "requestId"> = {
    caller: { authority: world.authority, email: null, isAdmin: true, projectIds: [world.projectId] },
    prisma: world.models,
    rows: world.rows,
    // Reading a log takes no registry and no graphs.
    runtime: runtime as RuntimeDeps,
    live: openLiveRoom({ replica: "bench", clock, newId }),
    transport: { kind: "WEBSOCKET", waitingBytes: () => null },
    stillAllowed: async () => true,
  };
  const graphql = openGraphql({
    schema: buildSchema(),
    contextOf: async (_headers, requestId) => ({ ...context, requestId }),
    newId,
    log: silentLog,
    graphiql: false,
    trustedOrigins: [],
  });
  const sockets = openSockets(
    graphql,
    async () => undefined,
    (error) => error,
  );
  const sessionIds: string[] = [];
  for (let made = 0; made < sessions; made += 1) {
    const create = { id: newId(), threadId: newId(), title: null, metadata: {} };
    const at = clock.now();
    const fields = {
      agentName: "idle",
      externalId: null,
      idempotencyKey: null,
      requestFingerprint: "bench",
      create,
      at,
    };
    await world.storage.sessions.create(world.authority, fields);
    sessionIds.push(create.id);
  }
  return {
    sessionIds,
    delivery: {
      upgrade: (request, socket, head) => sockets.upgrade(request, socket, head),
      publish(ids) {
        for (const id of ids) logs.append(id);
      },
    },
  };
}
