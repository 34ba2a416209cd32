import { describe, expect, it } from "vitest";
import { deadlineMs, openReplicas, type Replica } from "../replicas/replicas.ts";
import { assess, clientOf, follow, patient, type Seen, send } from "./storm.ts";

/** Kills of one run of the suite; FAULT_KILLS=100 makes it the long one. */
const kills = Number(process.env.FAULT_KILLS ?? 8);
const clients = 50;
const answer = Array.from({ length: 120 }, (_, i) => `word${i} `).join("");

describe("workers that are killed again and again while they stream", () => {
  it(
    `lose nothing, repeat nothing and leave nothing behind: ${kills} kills under ${clients} conversations`,
    async () => {
      await using replicas = await openReplicas({ environment: patient });
      const [api, ...first] = await Promise.all([
        replicas.start("api"),
        replicas.start("worker"),
        replicas.start("worker"),
      ]);
      const workers: Replica[] = first;
      await using client = clientOf(api, replicas.key);
      const seen: Seen[] = [];
      let isOver = false;
      const converse = async (): Promise<void> => {
        let sessionId: string | undefined;
        while (!isOver || sessionId === undefined) {
          const sent = await send(client, "slow", sessionId);
          seen.push(await follow(client, sent));
          sessionId = sent.sessionId;
        }
      };
      const conversations = Array.from({ length: clients }, converse);
      // A conversation that breaks must end the test, not the wait for it.
      const broken = Promise.race(conversations.map((conversation) => conversation.then(() => new Promise(() => {}))));
      for (let kill = 0; kill < kills; kill++) {
        const [victim, survivor] = workers;
        if (victim === undefined || survivor === undefined) throw new Error("a worker is missing");
        await Promise.race([broken, expect.poll(() => streaming(replicas, victim), { timeout: 120_000 }).toBe(true)]);
        await victim.kill();
        workers.splice(0, 2, survivor, await replicas.start("worker"));
      }
      isOver = true;
      await Promise.all(conversations);
      const damage = await assess(replicas, seen, answer);
      console.log(`${kills} kills: ${JSON.stringify(damage)}`);
      expect(damage).toMatchObject({ lost: 0, doubled: 0, stuck: 0 });
      expect(damage.recovered).toBeGreaterThan(0);
    },
    deadlineMs + kills * 20_000,
  );
});

/** Whether a run of this worker is in the middle of its answer. */
async function streaming(replicas: Awaited<ReturnType<typeof openReplicas>>, worker: Replica): Promise<boolean> {
  const rows = await replicas.sql(
    `SELECT 1 FROM runs r JOIN events e ON e.run_id = r.id AND e.type = 'message.delta'
     WHERE r.status = 'RUNNING' AND r.owner LIKE $1 LIMIT 1`,
    [`%-${worker.pid}-%`],
  );
  return rows.length > 0;
}
