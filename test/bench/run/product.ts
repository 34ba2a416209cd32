import { openRegistry } from "@wheelhouse/registry";
import {
  defaultTunables,
  openSessionTails,
  type RuntimeDeps,
  registerSharedAgents,
  sendMessage,
  startWorker,
  watchEvents,
} from "@wheelhouse/runtime";
import { createGraphHost, type PersistenceConfig } from "@wheelhouse/runtime/graph";
import { clock, newId, openWorld, silentLog, type World } from "../world.ts";
import { writerGraph } from "./writer-graph.ts";

export interface ProductRuns extends AsyncDisposable {
  world: World;
  /** Says something in a new session and follows the run to its end; answers when the first phrase came, milliseconds. */
  run(): Promise<number>;
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
  const graphs = createGraphHost({ persistence, codeAgents, env: {}, clock, newId, log: silentLog });
  const { storage, authority } = world;
  const tunables = defaultTunables;
  const tails = openSessionTails({ storage, log: silentLog, tunables });
  const deps: RuntimeDeps = { storage, registry, graphs, tails, clock, newId, log: silentLog, tunables };
  await registerSharedAgents(deps, world.projectId);
  const worker = startWorker(deps, { owner: "bench" });
  return {
    world,
    async run() {
      const startedAt = performance.now();
      const { run, cursor } = await sendMessage(deps, authority, { agent: "writer", content: "Write something." });
      let firstMs: number | undefined;
      let text = "";
      let last = "";
      for await (const page of await watchEvents(deps, authority, { runId: run.id, after: cursor })) {
        for (const event of page.events) {
          last = event.type;
          if (event.type !== "message.delta") continue;
          firstMs ??= performance.now() - startedAt;
          text += String(event.payload.text);
        }
      }
      if (firstMs === undefined || !text.endsWith("piece 29 of it "))
        throw new Error(`The answer is not whole: ${text}`);
      if (last !== "run.succeeded") throw new Error(`The run ended with ${last}`);
      return firstMs;
    },
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]();
      tails[Symbol.dispose]();
      await graphs[Symbol.asyncDispose]();
      await storage[Symbol.asyncDispose]();
    },
  };
}
