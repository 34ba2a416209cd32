import type { Fence } from "@wheelhouse/storage";
import { z } from "zod";
import { claimRuns, clock, openWorld } from "../world.ts";
import { type AppendTarget, checkLogs, phraseEvent } from "./rows.ts";

const Logs = z.array(
  z.object({
    session: z.string(),
    count: z.coerce.number(),
    first: z.coerce.number(),
    last: z.coerce.number(),
    summary: z.coerce.number(),
  }),
);

/** The product as it is: fenced, with the session's counters and the wake-up of its readers. */
export async function productTarget(url: string, runs: number): Promise<AppendTarget> {
  const world = await openWorld(url);
  const fences: Fence[] = (await claimRuns(world, runs)).map((claimed) => claimed.fence);
  const { storage, models } = world;
  const logs = async (): Promise<z.infer<typeof Logs>> =>
    Logs.parse(
      await models.$queryRaw`SELECT e.session_id AS session, count(*) AS count, min(e.sequence) AS first,
        max(e.sequence) AS last, max(s.last_sequence) AS summary
        FROM events e JOIN sessions s ON s.id = e.session_id GROUP BY e.session_id`,
    );
  const before = (await logs()).reduce((sum, log) => sum + log.count, 0);
  let index = 0;
  return {
    async append(run) {
      const fence = fences[run];
      if (!fence) throw new Error(`There is no run ${run}`);
      index += 1;
      const events = [phraseEvent(index, clock.now())];
      const { outcome } = await storage.runs.record(fence, { events, steps: [], messages: [], modelCalls: [] });
      if (outcome !== "recorded") throw new Error(`An append was ${outcome}`);
    },
    async verify(acknowledged) {
      const found = await logs();
      checkLogs(found, before + acknowledged);
      const wrong = found.find((log) => log.summary !== log.last);
      if (wrong)
        throw new Error(`The summary of ${wrong.session} says ${wrong.summary}, its log ends at ${wrong.last}`);
    },
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}
