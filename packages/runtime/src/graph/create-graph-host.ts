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
    threadMessages: async (manifest, threadId) =>
      (await engine()).threadMessages(threadId, manifest.limits.maxPayloadBytes),
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
