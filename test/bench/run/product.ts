import { openRegistry } from "@wheelhouse/registry";
import {
  defaultTunables,
  openAgentCache,
  openSecretBox,
  openSessionTails,
  type RuntimeDeps,
  registerSharedAgents,
  sendMessage,
  startWorker,
  watchEvents,
} from "@wheelhouse/runtime";
import { createGraphHost, type PersistenceConfig } from "@wheelhouse/runtime/graph";
import { parseAllowList } from "../../../apps/server/src/outgoing/allowed-addresses.ts";
import { guardedHttp } from "../../../apps/server/src/outgoing/guarded-http.ts";
import { databaseBodies } from "../../worlds/database-bodies.ts";
import { clock, newId, openWorld, silentLog, type World } from "../world.ts";
import { writerGraph } from "./writer-graph.ts";

export interface ProductRuns extends AsyncDisposable {
  world: World;
  /** Says something in a new session and follows the run to its end; answers when the first phrase came, milliseconds. */
  run(): Promise<number>;
  /** The same; answers when the subscriber heard that the run was started, milliseconds. */
  untilStarted(): Promise<number>;
}

/** The product from the use-case to the subscriber, in this process: storage, worker, graph host, readers. */
export async function openProductRuns(options: {
  url: string;
  persistence: PersistenceConfig;
  workspaceDir: string;
}): Promise<ProductRuns> {
  const world = await openWorld(options.url);
  const codeAgents = { writer: { graph: writerGraph() } };
  const registry = await openRegistry({ workspaceDir: options.workspaceDir, codeAgents, env: {} });
  const { persistence } = options;
  const outgoing = guardedHttp({ allow: parseAllowList([]) });
  const graphs = createGraphHost({ persistence, codeAgents, env: {}, outgoing, clock, newId, log: silentLog });
  const { storage, authority } = world;
  const tunables = defaultTunables;
  const tails = openSessionTails({ storage, log: silentLog, tunables });
  const secrets = openSecretBox({ current: "a secret of measurements, which keep none", previous: [] });
  const agents = openAgentCache({ storage, registry, clock, checkMs: tunables.configCheckMs });
  const deps: RuntimeDeps = {
    ...{ storage, registry, agents, graphs, tails, outgoing, secrets },
    ...{ clock, newId, log: silentLog, tunables, scopeKeys: ["project"] },
    ...databaseBodies(storage, clock),
  };
  await registerSharedAgents(deps, world.projectId);
  const worker = startWorker(deps, { owner: "bench" });
  /** Runs one to its end; when the subscriber first heard of the start and of a phrase. */
  async function runOne(): Promise<{ startedMs: number; firstMs: number }> {
    const beganAt = performance.now();
    const { run, cursor } = await sendMessage(deps, authority, { agent: "writer", content: "Write something." });
    let startedMs: number | undefined;
    let firstMs: number | undefined;
    let text = "";
    let last = "";
    for await (const page of await watchEvents(deps, authority, { runId: run.id, after: cursor })) {
      for (const event of page.events) {
        last = event.type;
        if (event.type === "run.started") startedMs = performance.now() - beganAt;
        if (event.type !== "message.delta") continue;
        firstMs ??= performance.now() - beganAt;
        text += String(event.payload.text);
      }
    }
    if (startedMs === undefined || firstMs === undefined || !text.endsWith("piece 29 of it "))
      throw new Error(`The answer is not whole: ${text}`);
    if (last !== "run.succeeded") throw new Error(`The run ended with ${last}`);
    return { startedMs, firstMs };
  }
  return {
    world,
    run: async () => (await runOne()).firstMs,
    untilStarted: async () => (await runOne()).startedMs,
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]();
      tails[Symbol.dispose]();
      agents[Symbol.dispose]();
      await graphs[Symbol.asyncDispose]();
      await storage[Symbol.asyncDispose]();
    },
  };
}
