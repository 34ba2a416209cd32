import { randomUUID } from "node:crypto";
import type { GraphHost } from "@wheelhouse/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reactAgent } from "./patterns.ts";
import { type Place, places, storedIn } from "./places.ts";
import { manifestOf, requestOf, says, testHost, trace } from "./run-in-host.ts";

const manifest = manifestOf("weather");
/** A question about the weather calls a tool and is answered: five checkpoints. Anything else is answered at once: three. */
const weather = reactAgent((messages) =>
  messages.at(-1)?.text === "Weather?"
    ? { content: "", toolCalls: [{ name: "get_weather", args: { city: "Ely" }, id: `call_${messages.length}` }] }
    : { content: "It rains." },
);

describe.each(places)("pruning with state in %s", { timeout: 120_000 }, (_kind, open) => {
  let place: Place;
  let host: GraphHost;
  beforeAll(async () => {
    place = await open();
    host = testHost({ persistence: place.config, codeAgents: { weather: { graph: weather } } });
  });
  afterAll(async () => {
    await host[Symbol.asyncDispose]();
    await place.close();
  });

  const count = async (threadId: string) => (await host.checkpoints(threadId, { before: null, limit: 10_000 })).length;

  it("keeps the store bounded over 100 turns of a conversation", async () => {
    const threadId = randomUUID();
    const bases: string[] = [];
    let checkpointId: string | null = null;
    let most: Record<string, number> = {};
    for (let turn = 1; turn <= 100; turn++) {
      const run = await trace(
        host,
        requestOf(manifest, says(`Turn ${turn}`), { threadId, checkpointId, runId: `run-${turn}` }),
      );
      expect(run.end.status).toBe("SUCCEEDED");
      if (checkpointId !== null) bases.push(checkpointId);
      checkpointId = run.checkpointId;
      const checkpointIds = new Set([...bases.slice(-5), checkpointId ?? ""]);
      const needed = { checkpointIds, runIds: new Set([`run-${turn}`]), endsOfRunIds: new Set<string>() };
      await host.prune(threadId, async () => needed);
      if (turn % 10 !== 0) continue;
      const stored = Object.entries(await storedIn(place.config)).map(([table, { rows }]) => [table, rows]);
      const now: Record<string, number> = { ...Object.fromEntries(stored), listed: await count(threadId) };
      if (turn === 10) most = now;
      else for (const [table, rows] of Object.entries(now)) expect(rows, table).toBeLessThanOrEqual(most[table] ?? 0);
    }
    // Where five turns began, and the three steps of the last.
    expect(await count(threadId)).toBe(8);
    const messages = await host.threadMessages(manifest, threadId, bases.at(-5) ?? "");
    expect(messages).toHaveLength(95 * 2);
  });

  it("leaves what comes between the listing and the asking", async () => {
    const threadId = randomUUID();
    const first = await trace(host, requestOf(manifest, says("Weather?"), { threadId }));
    let second: string | null = null;
    await host.prune(threadId, async () => {
      const request = requestOf(manifest, says("Weather?"), { threadId, checkpointId: first.checkpointId });
      second = (await trace(host, request)).checkpointId;
      return { checkpointIds: new Set([first.checkpointId ?? ""]), runIds: new Set(), endsOfRunIds: new Set() };
    });
    expect(await count(threadId)).toBe(6);
    expect(await host.threadMessages(manifest, threadId, second ?? "")).toHaveLength(8);
  });

  it("removes nothing of a session that is gone, and nothing of other threads", async () => {
    const [threadId, other] = [randomUUID(), randomUUID()];
    await trace(host, requestOf(manifest, says("Weather?"), { threadId }));
    await trace(host, requestOf(manifest, says("Weather?"), { threadId: other }));
    expect(await host.prune(threadId, async () => null)).toBe(0);
    expect(await count(threadId)).toBe(5);
    const none = { checkpointIds: new Set<string>(), runIds: new Set<string>(), endsOfRunIds: new Set<string>() };
    expect(await host.prune(threadId, async () => none)).toBeGreaterThanOrEqual(5);
    expect(await count(threadId)).toBe(0);
    expect(await count(other)).toBe(5);
  });
});
