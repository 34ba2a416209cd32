import type { GraphHost, GraphOutput, GraphRunRequest } from "@wheelhouse/runtime";
import { failures } from "./demo-texts.ts";

/**
 * Graphs of which chosen runs fail at their end, as they do when a provider has a bad day. Everything they recorded
 * until then is real.
 */
export function failingGraphs(graphs: GraphHost, failing: ReadonlySet<string>): GraphHost {
  let failed = 0;
  async function* run(request: GraphRunRequest): AsyncGenerator<GraphOutput, void> {
    for await (const output of graphs.run(request)) {
      if (output.kind !== "end" || !failing.has(request.sessionId)) {
        yield output;
        continue;
      }
      const failure = failures[failed % failures.length] ?? failures[0];
      failed += 1;
      yield { ...output, end: { status: "FAILED", failure, cause: null } };
    }
  }
  return {
    ...graphs,
    run,
    [Symbol.asyncDispose]: () => graphs[Symbol.asyncDispose](),
  };
}
