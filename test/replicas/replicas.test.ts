import {
  cancelTaskDocument,
  createClient,
  runEventsDocument,
  sendMessageDocument,
  type WheelhouseClient,
} from "@wheelhouse/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { deadlineMs, openReplicas, type Replica, type Replicas } from "./replicas.ts";

interface Seen {
  sequence: number;
  type: string;
}

/** Two processes for people, two for runs, one PostgreSQL. */
describe("an installation of many processes", { timeout: deadlineMs }, () => {
  let replicas: Replicas;
  let apis: [Replica, Replica];
  let workers: [Replica, Replica];
  beforeAll(async () => {
    replicas = await openReplicas();
    const [a, b, one, two] = await Promise.all([
      replicas.start("api"),
      replicas.start("api"),
      replicas.start("worker"),
      replicas.start("worker"),
    ]);
    apis = [a, b];
    workers = [one, two];
  }, deadlineMs);
  afterAll(() => replicas[Symbol.asyncDispose]());

  const clientOf = (api: Replica): WheelhouseClient =>
    createClient({ url: `${api.url}/graphql`, apiKey: replicas.key, webSocket: WebSocket });
  const send = async (client: WheelhouseClient, agent: string) => {
    const { sendMessage } = await client.request(sendMessageDocument, { input: { agent, content: "go" } });
    if (sendMessage.__typename !== "SubmitTaskSuccess") throw new Error(sendMessage.message);
    return sendMessage;
  };
  const rowIdOf = (globalId: string): string => globalId.slice(globalId.indexOf("_") + 1);
  const ownerOf = async (runId: string): Promise<Replica> => {
    const [run] = await replicas.sql<{ owner: string }>("SELECT owner FROM runs WHERE id = $1", [rowIdOf(runId)]);
    const owner = workers.find(({ pid }) => run?.owner.includes(`-${pid}-`));
    if (owner === undefined) throw new Error(`no worker owns the run: ${run?.owner}`);
    return owner;
  };
  /** Follows a run until `enough` or its end; answers what it saw and where it stood. */
  async function follow(api: Replica, runId: string, after: string, enough: (seen: Seen[]) => Promise<boolean>) {
    await using client = clientOf(api);
    const seen: Seen[] = [];
    let cursor = after;
    let terminal = false;
    for await (const page of client.watch(runEventsDocument, { runId, after })) {
      seen.push(...page.events.map(({ sequence, type }) => ({ sequence, type })));
      cursor = page.endCursor;
      terminal = page.terminal;
      if (await enough(seen)) break;
    }
    return { seen, cursor, terminal };
  }
  const count = (seen: readonly Seen[], type: string): number => seen.filter((event) => event.type === type).length;

  it("lets a reader follow a run over the death of its worker and of the API it reads from", async () => {
    await using client = clientOf(apis[0]);
    const { run, cursor } = await send(client, "slow");
    let deltas = 0;
    let killed: Replica | null = null;
    // Through the first API: the run loses its worker in the middle of its words, and goes on in the other one.
    const first = await follow(apis[0], run.id, cursor, async (seen) => {
      deltas = count(seen, "message.delta");
      if (killed === null && deltas >= 3) {
        killed = await ownerOf(run.id);
        await killed.kill();
      }
      if (count(seen, "run.recovered") === 0) return false;
      return seen
        .slice(seen.findIndex(({ type }) => type === "run.recovered"))
        .some(({ type }) => type === "message.delta");
    });
    await apis[0].kill();
    const second = await follow(apis[1], run.id, first.cursor, async () => false);
    expect(second.terminal).toBe(true);
    const seen = [...first.seen, ...second.seen];
    const logged = await replicas.sql<Seen>("SELECT sequence, type FROM events WHERE run_id = $1 ORDER BY sequence", [
      rowIdOf(run.id),
    ]);
    // Nothing missed, nothing twice.
    expect(seen).toEqual(logged);
    expect(seen.at(-1)?.type).toBe("run.succeeded");
    expect(count(seen, "message.discarded")).toBe(1);
    const [message] = await replicas.sql<{ content: string }>(
      "SELECT content FROM messages WHERE run_id = $1 AND role = 'ASSISTANT'",
      [rowIdOf(run.id)],
    );
    expect(message?.content.split(" ").filter(Boolean)).toHaveLength(120);
    [apis[0], workers] = [await replicas.start("api"), [await replicas.start("worker"), survivor(killed)]];
  });

  const survivor = (killed: Replica | null): Replica => {
    const [left] = workers.filter((worker) => worker !== killed);
    if (left === undefined) throw new Error("no worker is left");
    return left;
  };

  it("cancels in one process what another one executes, in a tool call and in a model's stream", async () => {
    await using client = clientOf(apis[1]);
    for (const [agent, event] of [
      ["toiler", "tool.started"],
      ["stuck", "message.delta"],
    ] as const) {
      const { run, task, cursor } = await send(client, agent);
      const begun = await follow(apis[0], run.id, cursor, async (seen) => count(seen, event) > 0);
      await until(async () => (await running()) === 1);
      const { cancelTask } = await client.request(cancelTaskDocument, { input: { taskId: task.id } });
      expect(cancelTask.__typename).toBe("CancelTaskSuccess");
      // The worker lets go of it; what it says of itself comes with its next beat.
      await until(async () => (await running()) === 0);
      const ended = await follow(apis[0], run.id, begun.cursor, async () => false);
      expect(ended.terminal).toBe(true);
      expect(ended.seen.at(-1)?.type).toBe("run.cancelled");
      expect(count(ended.seen, "run.recovered")).toBe(0);
    }
  });

  /** Runs in the hands of workers, by their own word. */
  const running = async (): Promise<number> => {
    const [sum] = await replicas.sql<{ running: number }>(
      "SELECT sum(running)::int AS running FROM worker_leases WHERE beat_at > timezone('UTC', now()) - interval '3 seconds'",
    );
    return sum?.running ?? 0;
  };
  /** The test's deadline is the limit. */
  const until = async (condition: () => Promise<boolean>): Promise<void> => {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
  };
});
