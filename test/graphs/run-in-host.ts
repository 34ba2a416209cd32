import { randomUUID } from "node:crypto";
import {
  ResolvedAgentDefinition as Definition,
  type Manifest,
  type NewEvent,
  type ResolvedAgentDefinition,
} from "@wheelhouse/domain";
import { digestOf } from "@wheelhouse/domain/digest";
import type { GraphHost, GraphOutput, GraphRunRequest } from "@wheelhouse/runtime";
import { createGraphHost, type GraphHostOptions } from "@wheelhouse/runtime/graph";
import type { InterruptRecord, MessageWrite, ModelCallWrite, NewInterrupt, StepWrite } from "@wheelhouse/storage";
import { parseAllowList } from "../../apps/server/src/outgoing/allowed-addresses.ts";
import { guardedHttp } from "../../apps/server/src/outgoing/guarded-http.ts";
import { filesInMemory } from "../../packages/runtime/test/files-in-memory.ts";

export const silentLog = { debug() {}, info() {}, warn() {}, error() {} };

/** A host over memory with scripted models that do not pause. */
export const testHost = (options: Partial<GraphHostOptions> = {}): GraphHost =>
  createGraphHost({
    persistence: { kind: "memory" },
    env: {},
    // Servers of the tests are on this machine.
    outgoing: guardedHttp({ allow: parseAllowList(["127.0.0.1"]) }),
    clock: { now: () => new Date() },
    newId: () => randomUUID(),
    log: silentLog,
    ...options,
    limits: { scriptedDelayMs: 0, abortGraceMs: 100, ...options.limits },
  });

/** The manifest of an agent in code, or of a definition. */
export function manifestOf(
  agent: string,
  definition: Parameters<typeof Definition.parse>[0] | null = null,
  more: Partial<Manifest["limits"]> & { recordPayloads?: boolean } = {},
): Manifest {
  const { recordPayloads = true, ...limits } = more;
  const parsed: ResolvedAgentDefinition | null = definition === null ? null : Definition.parse(definition);
  return {
    agent,
    source: parsed === null ? "CODE" : "FILE",
    revision: null,
    digest: digestOf({ agent, definition: parsed }),
    definition: parsed,
    sources: {},
    limits: { recursionLimit: 50, timeoutSeconds: 20, maxPayloadBytes: 262_144, ...limits },
    recordPayloads,
  };
}

/** A run's request on a new thread, unless one is given. */
export function requestOf(
  manifest: Manifest,
  start: GraphRunRequest["start"],
  more: Partial<GraphRunRequest> = {},
): GraphRunRequest {
  return {
    runId: randomUUID(),
    taskId: randomUUID(),
    sessionId: randomUUID(),
    threadId: randomUUID(),
    scope: { project: "default" },
    manifest,
    attempt: 1,
    generation: 1,
    checkpointId: null,
    start,
    lastStepSeq: 0,
    tokensUsed: 0,
    files: filesInMemory(),
    signal: new AbortController().signal,
    ...more,
  };
}

/** A user's message as the start of a run. */
export const says = (content: string, messageId: string = randomUUID()): GraphRunRequest["start"] => ({
  kind: "input",
  input: { messages: [{ role: "user", content }] },
  messageId,
});

export interface RunTrace {
  outputs: GraphOutput[];
  events: NewEvent[];
  /** The last write of each step, by number. */
  steps: StepWrite[];
  /** The last write of each message, in the order of the first. */
  messages: MessageWrite[];
  modelCalls: ModelCallWrite[];
  end: Extract<GraphOutput, { kind: "end" }>["end"];
  /** Where the conversation stands behind it. */
  checkpointId: string | null;
}

/** Runs to the end and sums up what was recorded. */
export async function trace(host: GraphHost, request: GraphRunRequest): Promise<RunTrace> {
  const outputs: GraphOutput[] = [];
  for await (const output of host.run(request)) outputs.push(output);
  const steps = new Map<string, StepWrite>();
  const messages = new Map<string, MessageWrite>();
  for (const { batch } of outputs) {
    for (const step of batch.steps) steps.set(step.id, step);
    for (const message of batch.messages) messages.set(message.langgraphMessageId, message);
  }
  const last = outputs.at(-1);
  if (last?.kind !== "end") throw new Error("the run did not say how it ended");
  return {
    outputs,
    events: outputs.flatMap(({ batch }) => batch.events),
    steps: [...steps.values()].sort((a, b) => a.seq - b.seq),
    messages: [...messages.values()],
    modelCalls: outputs.flatMap(({ batch }) => batch.modelCalls),
    end: last.end,
    checkpointId: last.checkpointId ?? null,
  };
}

/** Names of steps as a tree: children indented below their parents, in the order of their numbers. */
export function stepTree(steps: readonly StepWrite[]): string[] {
  const depth = (step: StepWrite): number => {
    const parent = steps.find(({ id }) => id === step.parentStepId);
    return parent === undefined ? 0 : depth(parent) + 1;
  };
  return steps.map((step) => `${"  ".repeat(depth(step))}${step.kind} ${step.name}`);
}

/** Answers to interrupts, as a human gives them. */
export const answer = (
  interrupt: NewInterrupt,
  decision: InterruptRecord["decision"],
  decisionValue: unknown = null,
): InterruptRecord => ({
  ...interrupt,
  runId: "",
  taskId: "",
  sessionId: "",
  requestedAt: new Date(),
  decidedAt: new Date(),
  decidedBy: "tester",
  decision,
  decisionValue,
  closedAt: null,
});
