import { createClient, runEventsDocument, sendMessageDocument, type WheelhouseClient } from "@wheelhouse/client";
import { openStorage } from "@wheelhouse/storage/prisma";
import { v7 as newId } from "uuid";
import { expect } from "vitest";
import { WebSocket } from "ws";
import { z } from "zod";
import { deadlineMs, type Replica, type Replicas } from "../replicas/replicas.ts";
import { expectWhole } from "./sound-session.ts";

const Delta = z.object({ text: z.string() });

/**
 * On a busy machine a process may be silent for seconds without being dead, and a run may lose its worker more often than
 * a patient operator would allow.
 */
export const patient = { WHEELHOUSE_LEASE_SECONDS: "5", WHEELHOUSE_MAX_RECOVERIES: "100" };

/** What a client saw of one run, from the mutation to the terminal frame. */
export interface Seen {
  sessionId: string;
  runId: string;
  sequences: number[];
  types: string[];
  text: string;
}

/** What is expected of every run of a storm, and what was found: lost, told twice, stuck. */
export interface Damage {
  runs: number;
  recovered: number;
  lost: number;
  doubled: number;
  stuck: number;
  /** Of runs that failed. */
  codes: string[];
  /** What the first lost ones looked like. */
  examples: string[];
}

/** A client of the product over the API of `replica`. */
export const clientOf = (replica: Replica, key: string): WheelhouseClient =>
  createClient({ url: `${replica.url}/graphql`, apiKey: key, webSocket: WebSocket });

/** Sends a message, in a new session or in `sessionId`. */
export async function send(client: WheelhouseClient, agent: string, sessionId?: string) {
  const { sendMessage } = await client.request(sendMessageDocument, {
    input: { content: "go", ...(sessionId === undefined ? { agent } : { sessionId }) },
  });
  if (sendMessage.__typename !== "SubmitTaskSuccess") throw new Error(`not taken: ${JSON.stringify(sendMessage)}`);
  return { sessionId: sendMessage.session.id, runId: sendMessage.run.id };
}

/** How long a reader waits for the end of its run: what it has seen until then is told as lost, in place of a silent deadline. */
const readerPatienceMs = 0.7 * deadlineMs;

/** Follows a run to its terminal frame, over whatever happens to the connection. */
export async function follow(
  client: WheelhouseClient,
  { sessionId, runId }: { sessionId: string; runId: string },
  onEvent: (type: string) => void = () => undefined,
): Promise<Seen> {
  const seen: Seen = { sessionId, runId, sequences: [], types: [], text: "" };
  const signal = AbortSignal.timeout(readerPatienceMs);
  for await (const { events } of client.watch(runEventsDocument, { runId }, { signal }))
    for (const { sequence, type, payload } of events) {
      seen.sequences.push(sequence);
      seen.types.push(type);
      if (type === "message.discarded") seen.text = "";
      if (type === "message.delta") seen.text += Delta.parse(payload).text;
      onEvent(type);
    }
  return seen;
}

/** Types in their order, repetitions counted. */
function told(types: readonly string[]): string {
  const runs: { type: string; times: number }[] = [];
  for (const type of types) {
    const last = runs.at(-1);
    if (last?.type === type) last.times++;
    else runs.push({ type, times: 1 });
  }
  return runs.map(({ type, times }) => (times === 1 ? type : `${type} ×${times}`)).join(", ");
}

/**
 * Counts what went wrong, from the database and from what clients saw: a run without its end or its answer is lost, a
 * sequence, message or step that is there twice is doubled, and whatever is not at rest is stuck.
 */
export async function assess(replicas: Replicas, seen: readonly Seen[], answer: string): Promise<Damage> {
  const options = { url: replicas.databaseUrl, clock: { now: () => new Date() }, newId, onError: () => undefined };
  const { storage, models } = await openStorage(options);
  await using _ = storage;
  const damage: Damage = { runs: seen.length, recovered: 0, lost: 0, doubled: 0, stuck: 0, codes: [], examples: [] };
  for (const { sequences, types, text } of seen) {
    if (types.at(-1) !== "run.succeeded" || text !== answer) {
      damage.lost++;
      damage.examples.push(`${types.at(-1)} with ${text.length} letters: ${told(types)}`);
    }
    if (sequences.some((sequence, i) => i > 0 && sequence <= (sequences[i - 1] ?? 0))) damage.doubled++;
    if (types.includes("run.recovered")) damage.recovered++;
  }
  const failed = await models.run.findMany({ where: { status: "FAILED" }, select: { errorCode: true } });
  damage.codes = failed.map(({ errorCode }) => errorCode ?? "");
  const sessions = await models.session.findMany({ select: { id: true, status: true, taskCount: true } });
  for (const { id, status, taskCount } of sessions) {
    if (status !== "IDLE") damage.stuck++;
    await expectWhole({ models }, id);
    const messages = await models.message.findMany({ where: { sessionId: id }, orderBy: { seq: "asc" } });
    const transcript = messages.map(({ role, content }) => `${role} ${content}`);
    const turn = ["USER go", `ASSISTANT ${answer}`];
    const expected = Array.from({ length: taskCount }, () => turn).flat();
    if (transcript.length > expected.length) damage.doubled++;
    else if (transcript.join("\n") !== expected.join("\n")) damage.lost++;
    if ((await models.step.count({ where: { sessionId: id, status: "RUNNING" } })) > 0) damage.stuck++;
  }
  damage.examples = [...new Set(damage.examples)].slice(0, 5);
  expect(new Set(seen.map(({ sessionId }) => sessionId)).size).toBeLessThanOrEqual(sessions.length);
  return damage;
}
