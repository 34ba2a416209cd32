import { describe, expect, it } from "vitest";
import { deadlineMs, openReplicas } from "../replicas/replicas.ts";
import { assess, clientOf, follow, patient, send } from "./storm.ts";

const answer = Array.from({ length: 120 }, (_, i) => `word${i} `).join("");

describe("a worker that stands still for longer than its lease", () => {
  it(
    "has lost its runs when it goes on, and writes nothing more for them",
    async () => {
      await using replicas = await openReplicas({ environment: patient });
      const [api, frozen] = await Promise.all([replicas.start("api"), replicas.start("worker")]);
      await using client = clientOf(api, replicas.key);
      const sent = await Promise.all(Array.from({ length: 10 }, () => send(client, "slow")));
      const speaking = new Set<string>();
      const followed = sent.map((one) =>
        follow(client, one, (type) => void (type === "message.delta" && speaking.add(one.runId))),
      );
      await expect.poll(() => speaking.size, { timeout: deadlineMs }).toBe(sent.length);
      frozen.freeze();
      await replicas.start("worker");
      const recovered = () => replicas.sql("SELECT 1 FROM runs WHERE recoveries > 0");
      await expect.poll(async () => (await recovered()).length, { timeout: deadlineMs }).toBeGreaterThan(0);
      // In the middle of what the other worker is saying now.
      frozen.thaw();
      const seen = await Promise.all(followed);
      const damage = await assess(replicas, seen, answer);
      console.log(`frozen worker: ${JSON.stringify(damage)}`);
      expect(damage).toMatchObject({ runs: 10, lost: 0, doubled: 0, stuck: 0 });
      expect(damage.recovered).toBeGreaterThan(0);
    },
    deadlineMs,
  );
});
