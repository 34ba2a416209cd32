import type { GraphHost, GraphOutput, GraphRunRequest } from "../graph-host.ts";
import type { GraphEngine } from "./graph-engine.ts";
import { defaultGraphHostLimits, type GraphHostOptions } from "./graph-host-options.ts";

/**
 * Executes LangGraph graphs. LangChain is loaded, and the checkpoint store opened, with the first use:
 * together they cost about half a second, which no start of the server should wait for.
 */
export function createGraphHost(options: GraphHostOptions): GraphHost {
  const limits = { ...defaultGraphHostLimits, ...options.limits };
  let opening: Promise<GraphEngine> | null = null;
  const engine = (): Promise<GraphEngine> => {
    opening ??= import("./graph-engine.ts")
      .then(({ GraphEngine }) => GraphEngine.open(options, limits))
      .catch((error: unknown) => {
        // The next run tries again: a database may be back by then.
        opening = null;
        throw error;
      });
    return opening;
  };
  return {
    draw: async (manifest) => (await engine()).draw(manifest),
    run: (request) => runOrEnd(engine, request, options),
    threadMessages: async (manifest, threadId, checkpointId, more) =>
      (await engine()).threadMessages({ threadId, checkpointId }, manifest.limits.maxPayloadBytes, more),
    pendingMessageIds: async (threadId, runId, checkpointId) =>
      (await engine()).pendingMessageIds(threadId, runId, checkpointId),
    lastCheckpoint: async (threadId, runId) => (await engine()).lastCheckpoint(threadId, runId),
    checkpoints: async (threadId, page) => (await engine()).history.page(threadId, page),
    lineage: async (threadId, checkpointId) => (await engine()).history.lineage(threadId, checkpointId),
    state: async (threadId, checkpointId) => (await engine()).history.state(threadId, checkpointId),
    copyThread: async (from, to, checkpointId) => (await engine()).history.copy(from, to, checkpointId),
    patchState: async (manifest, change) => (await engine()).patchState(manifest, change),
    prune: async (threadId, needed) => (await engine()).history.prune(threadId, needed),
    deleteThread: async (threadId) => (await engine()).deleteThread(threadId),
    problems: async (manifest) => (await engine()).problems(manifest),
    mcpReadiness: async (server, how) => (await engine()).mcpReadiness(server, how),
    async [Symbol.asyncDispose]() {
      const held = opening;
      opening = null;
      await (await held?.catch(() => null))?.[Symbol.asyncDispose]();
    },
  };
}

async function* runOrEnd(
  engine: () => Promise<GraphEngine>,
  request: GraphRunRequest,
  { log }: GraphHostOptions,
): AsyncGenerator<GraphOutput, void, undefined> {
  let ready: GraphEngine;
  try {
    ready = await engine();
  } catch (cause) {
    log.error({ runId: request.runId, err: cause }, "the graph engine could not be opened");
    const message = "The store of the conversation's state cannot be reached. Trying again may help.";
    const batch = { events: [], steps: [], messages: [], modelCalls: [] };
    yield { kind: "end", batch, end: { status: "FAILED", failure: { code: "INTERNAL", message }, cause } };
    return;
  }
  yield* ready.run(request);
}
