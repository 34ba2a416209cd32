import type { RuntimeDeps } from "@wheelhouse/runtime";
import type { FlowWorld } from "./flow-world.ts";

/**
 * A process that can be killed: from that moment on nothing it says reaches the database, its graphs stop, and it
 * releases nothing. The rest of it is as it is in production.
 */
export function killable({ deps }: FlowWorld): { deps: RuntimeDeps; killed: AbortSignal; kill: () => void } {
  const killed = new AbortController();
  const { storage, graphs } = deps;
  const alive =
    <A extends unknown[], R>(act: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (killed.signal.aborted) throw new Error("killed");
      return await act(...args);
    };
  const runs = {
    ...storage.runs,
    claim: alive(storage.runs.claim),
    begin: alive(storage.runs.begin),
    record: alive(storage.runs.record),
    takeBack: alive(storage.runs.takeBack),
    finish: alive(storage.runs.finish),
    renew: alive(storage.runs.renew),
    lost: alive(storage.runs.lost),
    release: alive(storage.runs.release),
  };
  const dispatch: RuntimeDeps["storage"]["dispatch"] = {
    start: (taker, input) =>
      storage.dispatch.start({ ...taker, free: () => (killed.signal.aborted ? 0 : taker.free()) }, input),
    recoverExpired: alive(storage.dispatch.recoverExpired),
    repair: alive(storage.dispatch.repair),
  };
  return {
    deps: {
      ...deps,
      log: { debug() {}, info() {}, warn() {}, error() {} },
      storage: { ...storage, runs, dispatch, [Symbol.asyncDispose]: async () => undefined },
      graphs: {
        ...graphs,
        run: (request) => graphs.run({ ...request, signal: AbortSignal.any([request.signal, killed.signal]) }),
      },
    },
    killed: killed.signal,
    kill: () => killed.abort(),
  };
}
