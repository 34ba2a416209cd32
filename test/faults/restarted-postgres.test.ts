import { describe, expect, it } from "vitest";
import { startThrowawayPostgres } from "../../scripts/throwaway-postgres.mjs";
import { deadlineMs, openReplicas } from "../replicas/replicas.ts";
import { assess, clientOf, follow, patient, send } from "./storm.ts";

const answer = Array.from({ length: 120 }, (_, i) => `word${i} `).join("");
const runs = 50;
const readersPerRun = 10;
const sockets = 25;

describe("a PostgreSQL that crashes and comes back", () => {
  it(
    `costs ${runs * readersPerRun} live readers of ${runs} runs nothing`,
    async () => {
      // A server that acknowledges before it writes would lose in a crash what it promised.
      const server = await startThrowawayPostgres({ durable: true });
      if (server.url === undefined) throw new Error(server.missing);
      try {
        await using replicas = await openReplicas({ serverUrl: server.url, environment: patient });
        const [api, worker] = await Promise.all([replicas.start("api"), replicas.start("worker")]);
        const readers = Array.from({ length: sockets }, () => clientOf(api, replicas.key));
        const readerOf = (i: number) => readers[i % readers.length] ?? raise("no reader");
        const sent = await Promise.all(Array.from({ length: runs }, (_, i) => send(readerOf(i), "slow")));
        const speaking = new Set<string>();
        const followed = sent.flatMap((one, i) =>
          Array.from({ length: readersPerRun }, (_, j) =>
            follow(readerOf(i + j * 7), one, (type) => void (type === "message.delta" && speaking.add(one.runId))),
          ),
        );
        await expect.poll(() => speaking.size, { timeout: deadlineMs }).toBeGreaterThan(runs / 2);
        await server.restart();
        const seen = await Promise.all(followed);
        const damage = await assess(replicas, seen, answer);
        console.log(`restarted PostgreSQL: ${JSON.stringify(damage)}`);
        const said = [api, worker].map((replica) => `${replica.role}: ${replica.output().slice(-3_000)}`).join("\n");
        expect(damage, said).toMatchObject({ runs: runs * readersPerRun, lost: 0, doubled: 0, stuck: 0 });
        // Everybody heard the same, and both processes are still the ones they were.
        expect(new Set(seen.map(({ runId, sequences }) => `${runId} ${sequences}`)).size).toBe(runs);
        for (const { url } of [api, worker]) expect((await fetch(`${url}/readyz`)).status).toBe(200);
        await follow(readerOf(0), await send(readerOf(0), "echo"));
        await Promise.all(readers.map((reader) => reader.close()));
      } finally {
        await server.stop();
      }
    },
    deadlineMs,
  );
});

function raise(message: string): never {
  throw new Error(message);
}
