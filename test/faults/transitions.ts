import type { Storage } from "@wheelhouse/storage";
import {
  batchOf,
  type ContractWorld,
  callOf,
  claimInput,
  customEvent,
  emptyBatch,
  expireLeases,
  messageOf,
  newSession,
  startRun,
  stepOf,
  submit,
  workOf,
} from "@wheelhouse/storage/contract";

/** A transition that is about to happen: to which session, and what makes it happen. */
export interface Prepared {
  sessionId: string;
  act(storage: Storage): Promise<unknown>;
}

export interface Transition {
  name: string;
  /** Brings a session into the state from which the transition leads. */
  prepare(world: ContractWorld): Promise<Prepared>;
}

const fullBatch = (world: ContractWorld) =>
  batchOf({
    events: [customEvent(world), customEvent(world)],
    steps: [stepOf(world)],
    messages: [messageOf(world)],
    modelCalls: [callOf(world)],
  });

const question = (world: ContractWorld) => ({
  id: world.newId(),
  interruptId: world.newId(),
  kind: "QUESTION" as const,
  actionRequests: [],
  allowedDecisions: ["RESPOND" as const],
  expiresAt: null,
});

async function waiting(world: ContractWorld) {
  const started = await startRun(world);
  const interrupts = [question(world)];
  const conclusion = { status: "INTERRUPTED" as const, interrupts, at: world.clock.now() };
  await world.storage.runs.finish(started.claimed.fence, emptyBatch, conclusion);
  return { ...started, interrupts };
}

/** A run in progress, and another that waits behind it. */
async function busy(world: ContractWorld) {
  const started = await startRun(world);
  const behind = await submit(world, { session: { by: "id", id: started.session.id }, policy: "ENQUEUE" });
  return { ...started, behind };
}

const submitting = (
  name: string,
  before: (world: ContractWorld) => Promise<{ session: { id: string } }>,
  policy: "REJECT" | "ENQUEUE" | "INTERRUPT",
): Transition => ({
  name,
  async prepare(world) {
    const { session } = await before(world);
    const work = workOf(world, { session: { by: "id", id: session.id }, policy });
    return { sessionId: session.id, act: (storage) => storage.tasks.submit(world.authority(), work) };
  },
});

const finishing = (name: string, status: "SUCCEEDED" | "FAILED" | "INTERRUPTED" | "CANCELLED"): Transition => ({
  name,
  async prepare(world) {
    const { session, claimed } = await busy(world);
    const failure = { code: "GRAPH_ERROR" as const, message: "The graph threw" };
    const conclusion = {
      status,
      at: world.clock.now(),
      ...(status === "FAILED" && { failure }),
      ...(status === "INTERRUPTED" && { interrupts: [question(world), question(world)] }),
    };
    const batch = fullBatch(world);
    return { sessionId: session.id, act: (storage) => storage.runs.finish(claimed.fence, batch, conclusion) };
  },
});

const claiming = (name: string, isLost: boolean, maxRecoveries: number): Transition => ({
  name,
  async prepare(world) {
    const { session } = isLost ? await busy(world) : await submit(world);
    if (isLost) await expireLeases(world);
    return {
      sessionId: session.id,
      act: (storage) => storage.runs.claim(claimInput(world, { owner: "worker-2", maxRecoveries })),
    };
  },
});

const cancelling = (
  name: string,
  before: (world: ContractWorld) => Promise<{ session: { id: string }; task: { id: string } }>,
): Transition => ({
  name,
  async prepare(world) {
    const { session, task } = await before(world);
    const input = { taskId: task.id, reason: "changed my mind", at: world.clock.now() };
    return { sessionId: session.id, act: (storage) => storage.tasks.cancel(world.authority(), input) };
  },
});

/** Every transition of the lifecycle. */
export const transitions: readonly Transition[] = [
  {
    name: "a session begins with work",
    async prepare(world) {
      const create = newSession(world);
      const work = workOf(world, { session: { by: "new", create } });
      return { sessionId: create.id, act: (storage) => storage.tasks.submit(world.authority(), work) };
    },
  },
  submitting("work for a session that failed before", failed, "REJECT"),
  submitting("work behind other work", startRun, "ENQUEUE"),
  submitting("work in the place of other work", busy, "INTERRUPT"),
  claiming("a worker takes a queued run", false, 3),
  claiming("a worker takes a run over", true, 3),
  claiming("a run is given up", true, 0),
  {
    name: "a run says something",
    async prepare(world) {
      const { session, claimed } = await startRun(world);
      const batch = fullBatch(world);
      return { sessionId: session.id, act: (storage) => storage.runs.record(claimed.fence, batch) };
    },
  },
  finishing("a run succeeds before another", "SUCCEEDED"),
  finishing("a run fails before another", "FAILED"),
  finishing("a run asks two questions", "INTERRUPTED"),
  cancelling("a running task is cancelled", busy),
  cancelling("a queued task is cancelled", submit),
  cancelling("a waiting task is cancelled", waiting),
  {
    name: "the last question is answered",
    async prepare(world) {
      const { session, interrupts } = await waiting(world);
      const decisions = interrupts.map(({ id }) => ({ id, decision: "RESPOND" as const, value: 42 }));
      const input = { decisions, newRunId: world.newId(), at: world.clock.now() };
      return { sessionId: session.id, act: (storage) => storage.interrupts.decide(world.authority(), input) };
    },
  },
];

async function failed(world: ContractWorld) {
  const started = await startRun(world);
  const failure = { code: "GRAPH_ERROR" as const, message: "The graph threw" };
  await world.storage.runs.finish(started.claimed.fence, emptyBatch, {
    status: "FAILED",
    failure,
    at: world.clock.now(),
  });
  return started;
}
