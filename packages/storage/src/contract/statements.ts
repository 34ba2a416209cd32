import { describe, expect, it } from "vitest";
import type { ContractWorld, OpenContractWorld } from "./contract-world.ts";
import {
  batchOf,
  claimInput,
  customEvent,
  endEverything,
  messageOf,
  rangeTo,
  startRun,
  stepOf,
  submit,
  succeed,
  useWorld,
} from "./sample-work.ts";

/** How many statements a call may send to PostgreSQL, transaction control included. SQLite sends more, in microseconds each. */
const budgets = {
  submitNew: 5,
  submitContinued: 6,
  claim: 5,
  record: 1,
  finish: 7,
  read: 1,
  readFeed: 1,
  renew: 1,
} as const;

async function countOf(world: ContractWorld, work: () => Promise<unknown>): Promise<number> {
  world.statements.length = 0;
  await work();
  return world.statements.length;
}

/** The hot paths keep to their number of statements. */
export function statementsContract(openWorld: OpenContractWorld): void {
  describe("statements", () => {
    const world = useWorld(openWorld);

    it("of the hot paths are as many as planned", async () => {
      if (world().storage.kind !== "postgres") return;
      await endEverything(world());
      const started = await submit(world());
      const counted: Record<string, number> = {};
      counted.submitNew = await countOf(world(), () => submit(world()));
      const by = { by: "id", id: started.session.id } as const;
      counted.submitContinued = await countOf(world(), () =>
        submit(world(), { session: by, policy: "ENQUEUE", idempotencyKey: "k" }),
      );
      counted.claim = await countOf(world(), () => world().storage.runs.claim(claimInput(world())));
      const { claimed } = await startRun(world());
      let seq = 0;
      const batch = () =>
        batchOf({
          events: rangeTo(50).map(() => customEvent(world())),
          steps: [stepOf(world(), { seq: ++seq })],
          messages: [messageOf(world())],
        });
      counted.record = await countOf(world(), () => world().storage.runs.record(claimed.fence, batch()));
      counted.renew = await countOf(world(), () => world().storage.runs.renew([claimed.fence], { leaseMs: 30_000 }));
      counted.read = await countOf(world(), () =>
        world().storage.events.read(world().authority(), { sessionId: claimed.run.sessionId, after: 0, limit: 100 }),
      );
      counted.readFeed = await countOf(world(), () =>
        world().storage.events.readFeed(world().authority(), { after: null, limit: 100, scan: 500 }),
      );
      counted.finish = await countOf(world(), () => succeed(world(), claimed.fence, batch()));
      for (const [name, budget] of Object.entries(budgets)) expect(counted[name], name).toBeLessThanOrEqual(budget);
    });

    it("of many sessions' appends are shared", async () => {
      if (world().storage.kind !== "postgres") return;
      const runs: Awaited<ReturnType<typeof startRun>>[] = [];
      for (const _ of rangeTo(20)) runs.push(await startRun(world()));
      const count = await countOf(world(), () =>
        Promise.all(
          runs.map(({ claimed }) =>
            world().storage.runs.record(claimed.fence, batchOf({ events: [customEvent(world())] })),
          ),
        ),
      );
      expect(count).toBeLessThanOrEqual(2);
    });
  });
}
