import { type BusyPolicy, busyPolicies } from "@wheelhouse/domain";
import { describe, expect, it } from "vitest";
import type { SubmitOutcome } from "../records.ts";
import type { ContractWorld, OpenContractWorld } from "./contract-world.ts";
import {
  batchOf,
  claimRun,
  emptyBatch,
  endEverything,
  eventsOf,
  messageOf,
  rangeTo,
  startRun,
  submit,
  succeed,
  useWorld,
  workOf,
} from "./sample-work.ts";

/** What became of two pieces of work that met, by the policy of each: how the first and the second of them ended up. */
interface Serial {
  first: "taken" | "refused";
  second: "taken" | "refused";
  /** Runs of the two that are active or queued afterwards, in order. */
  left: readonly ("first" | "second")[];
  /** The run that was active before is cancelled. */
  replaces: boolean;
}

/** The outcome when `first` is decided before `second`. */
function serial(first: BusyPolicy, second: BusyPolicy, wasBusy: boolean): Serial {
  const replacing = (policy: BusyPolicy) => policy === "INTERRUPT" || policy === "ROLLBACK";
  const firstTaken = !wasBusy || first !== "REJECT";
  const replacesOld = wasBusy && (replacing(first) || replacing(second));
  const firstIsHead = !wasBusy || replacing(first);
  if (second === "REJECT")
    return {
      first: firstTaken ? "taken" : "refused",
      second: "refused",
      left: firstTaken ? ["first"] : [],
      replaces: wasBusy && replacing(first),
    };
  if (second === "ENQUEUE")
    return {
      first: firstTaken ? "taken" : "refused",
      second: "taken",
      left: firstTaken ? ["first", "second"] : ["second"],
      replaces: wasBusy && replacing(first),
    };
  // The second takes the head's place: the first is cancelled if it had it, else it waits behind the second.
  const left = !firstTaken || firstIsHead ? (["second"] as const) : (["second", "first"] as const);
  return { first: firstTaken ? "taken" : "refused", second: "taken", left, replaces: replacesOld };
}

/** Every pair of policies that meets on an idle and on a busy session comes out as one after the other would. */
export function busyPoliciesContract(openWorld: OpenContractWorld): void {
  describe("two that arrive together", () => {
    const world = useWorld(openWorld);

    for (const wasBusy of [false, true])
      for (const a of busyPolicies)
        for (const b of busyPolicies)
          it(`under ${a} and ${b} on ${wasBusy ? "a busy" : "an idle"} session are one after the other`, async () => {
            await endEverything(world());
            const before = await startRun(world());
            if (!wasBusy) await succeed(world(), before.claimed.fence);
            const session = { by: "id", id: before.session.id } as const;
            const send = async (policy: BusyPolicy) => {
              const work = workOf(world(), { session, policy });
              return { work, outcome: await world().storage.tasks.submit(world().authority(), work) };
            };
            const [x, y] = await Promise.all([send(a), send(b)]);
            const seen = await describeEnd(world(), before.run.id, x, y);
            const forwards = serial(a, b, wasBusy);
            const backwards = mirrored(serial(b, a, wasBusy));
            expect([forwards, backwards]).toContainEqual(seen);
            const events = await eventsOf(world(), session.id);
            expect(events.map(({ sequence }) => sequence)).toEqual(rangeTo(events.length));
          });
  });

  describe("ROLLBACK", () => {
    const world = useWorld(openWorld);

    it("takes the conversation back to where it stood before the active run", async () => {
      const first = await startRun(world(), { content: "one" });
      expect(first.claimed.head).toEqual({ at: null });
      await world().storage.runs.finish(first.claimed.fence, emptyBatch, {
        status: "SUCCEEDED",
        checkpointId: "c1",
        at: world().clock.now(),
      });
      const by = { by: "id", id: first.session.id } as const;
      const second = await startRun(world(), { session: by, content: "two" });
      expect(second.claimed.head).toEqual({ at: "c1" });
      await world().storage.runs.record(
        second.claimed.fence,
        batchOf({ messages: [messageOf(world(), { content: "Half an answer" })] }),
      );
      const third = await submit(world(), { session: by, content: "three", policy: "ROLLBACK" });
      const claimed = await claimRun(world(), third.run.id);
      expect(claimed.head).toEqual({ at: "c1" });
      expect(claimed.run.checkpointBefore).toBe("c1");
      const rows = await world().models.message.findMany({ where: { sessionId: by.id }, orderBy: { seq: "asc" } });
      expect(rows.map(({ content }) => content)).toEqual(["one", "three"]);
      const events = await eventsOf(world(), by.id);
      const discarded = events.filter(({ type }) => type === "message.discarded");
      expect(discarded.map(({ payload }) => payload.role)).toEqual(["USER", "ASSISTANT"]);
      const row = await world().models.session.findUniqueOrThrow({ where: { id: by.id } });
      expect(row).toMatchObject({ firstMessage: "one", lastMessage: "three", messageCount: 2 });
      expect(await world().storage.runs.record(second.claimed.fence, emptyBatch)).toEqual({ outcome: "fenced" });
    });

    it("of the first turn leaves an empty conversation", async () => {
      const first = await startRun(world(), { content: "one" });
      const by = { by: "id", id: first.session.id } as const;
      const second = await submit(world(), { session: by, content: "two", policy: "ROLLBACK" });
      expect((await claimRun(world(), second.run.id)).head).toEqual({ at: null });
      const row = await world().models.session.findUniqueOrThrow({ where: { id: by.id } });
      expect(row).toMatchObject({ firstMessage: "two", messageCount: 1 });
    });
  });

  describe("where a conversation stands", () => {
    const world = useWorld(openWorld);
    const headOf = async (id: string) => (await world().storage.sessions.head(world().authority(), id))?.head;

    it("is looked up behind a run that was ended from outside, and recorded once it is found", async () => {
      const first = await startRun(world());
      const by = { by: "id", id: first.session.id } as const;
      const second = await submit(world(), { session: by, policy: "INTERRUPT" });
      const lost = { after: { runId: first.run.id, checkpointBefore: null } };
      expect(await headOf(by.id)).toEqual(lost);
      const claimed = await claimRun(world(), second.run.id);
      expect(claimed.head).toEqual(lost);
      const begin = { checkpointBefore: "c7", at: world().clock.now() };
      expect(await world().storage.runs.begin(claimed.fence, begin)).toBe("begun");
      expect(await headOf(by.id)).toEqual({ after: { runId: second.run.id, checkpointBefore: "c7" } });
      await submit(world(), { session: by, policy: "ROLLBACK" });
      expect(await headOf(by.id)).toEqual({ at: "c7" });
      expect(await world().storage.runs.begin(claimed.fence, begin)).toBe("fenced");
    });

    it("is not moved by a run that never began", async () => {
      const first = await startRun(world());
      const by = { by: "id", id: first.session.id } as const;
      await submit(world(), { session: by, policy: "INTERRUPT" });
      const third = await submit(world(), { session: by, policy: "ROLLBACK" });
      expect((await claimRun(world(), third.run.id)).head).toEqual({
        after: { runId: first.run.id, checkpointBefore: null },
      });
    });

    it("stays what it was for a run that is recovered", async () => {
      const first = await startRun(world());
      await world().storage.runs.finish(first.claimed.fence, emptyBatch, {
        status: "SUCCEEDED",
        checkpointId: "c1",
        at: world().clock.now(),
      });
      const second = await startRun(world(), { session: { by: "id", id: first.session.id } });
      await world().storage.runs.release(second.claimed.fence);
      const again = await claimRun(world(), second.run.id);
      expect(again).toMatchObject({ recovered: true, head: { at: "c1" } });
      expect(await headOf(first.session.id)).toEqual({ after: { runId: second.run.id, checkpointBefore: "c1" } });
    });
  });
}

const mirrored = ({ first, second, left, replaces }: Serial): Serial => ({
  first: second,
  second: first,
  left: left.map((one) => (one === "first" ? "second" : "first")),
  replaces,
});

interface Sent {
  work: ReturnType<typeof workOf>;
  outcome: SubmitOutcome;
}

/** What the rows say happened to the two, in the words of `Serial`. */
async function describeEnd({ models }: ContractWorld, beforeId: string, x: Sent, y: Sent): Promise<Serial> {
  const fate = ({ outcome }: Sent) => (outcome.outcome === "submitted" ? "taken" : "refused");
  const before = await models.run.findUniqueOrThrow({ where: { id: beforeId } });
  const runs = await models.run.findMany({
    where: { sessionId: before.sessionId, status: { in: ["QUEUED", "RUNNING"] } },
  });
  const heads = runs.filter((run) => run.queuePosition === null);
  expect(heads.length).toBeLessThanOrEqual(1);
  const inOrder = runs.sort((a, b) => (a.queuePosition ?? -1) - (b.queuePosition ?? -1));
  const left = inOrder.flatMap(({ id }) =>
    id === x.work.run.id ? (["first"] as const) : id === y.work.run.id ? (["second"] as const) : [],
  );
  return { first: fate(x), second: fate(y), left, replaces: before.status === "CANCELLED" };
}
