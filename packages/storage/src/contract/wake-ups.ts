import { describe, expect, it } from "vitest";
import type { WakeUps } from "../port.ts";
import type { OpenContractWorld } from "./contract-world.ts";
import { batchOf, customEvent, startRun, submit, useWorld } from "./sample-work.ts";

/** Collects what is heard until told to stop. */
function listen(wakeUps: WakeUps, ids: { sessionId: string; projectId: string }) {
  const heard: string[] = [];
  const stops = [
    wakeUps.onSession(ids.sessionId, () => heard.push("session")),
    wakeUps.onProject(ids.projectId, (sessionId) =>
      heard.push(sessionId === ids.sessionId ? "project" : "other session"),
    ),
    wakeUps.onRunnable(() => heard.push("runnable")),
    wakeUps.onCancelled((runId) => heard.push(`cancelled ${runId}`)),
  ];
  return {
    heard,
    /** Resolves when this was heard; the test's deadline is the limit. */
    async until(what: string) {
      while (!heard.includes(what)) await new Promise((resolve) => setImmediate(resolve));
    },
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}

/** A commit wakes whoever waits for it, in this process and in others. */
export function wakeUpsContract(openWorld: OpenContractWorld): void {
  describe("waking up", () => {
    const world = useWorld(openWorld);

    it("follows submissions, appends, ends and cancellations", async () => {
      const { session, task, run, claimed } = await startRun(world());
      const ears = listen(world().storage.wakeUps, { sessionId: session.id, projectId: world().projectId });
      await world().storage.runs.record(claimed.fence, batchOf({ events: [customEvent(world())] }));
      expect(ears.heard).toEqual(["session", "project"]);
      await submit(world(), { session: { by: "id", id: session.id }, policy: "ENQUEUE" });
      expect(ears.heard.slice(2)).toEqual(["session", "project"]);
      await world().storage.tasks.cancel(world().authority(), {
        taskId: task.id,
        reason: "x",
        at: world().clock.now(),
      });
      expect(ears.heard.slice(4)).toEqual(["session", "project", "runnable", `cancelled ${run.id}`]);
      ears.stop();
      await submit(world());
      expect(ears.heard).toHaveLength(8);
    });

    it("says that a lease was let go", async () => {
      const { claimed, session } = await startRun(world());
      const ears = listen(world().storage.wakeUps, { sessionId: session.id, projectId: world().projectId });
      await world().storage.runs.release(claimed.fence);
      expect(ears.heard).toEqual(["runnable"]);
      ears.stop();
    });

    it("reaches another process over the same database, where there can be one", async () => {
      const second = await world().openSecond();
      if (second === null) {
        expect(world().storage.kind).not.toBe("postgres");
        return;
      }
      const { session, task, run, claimed } = await startRun(world());
      const ears = listen(second.wakeUps, { sessionId: session.id, projectId: world().projectId });
      await world().storage.runs.record(claimed.fence, batchOf({ events: [customEvent(world())] }));
      await ears.until("session");
      await ears.until("project");
      await submit(world());
      await ears.until("runnable");
      await world().storage.tasks.cancel(world().authority(), {
        taskId: task.id,
        reason: "x",
        at: world().clock.now(),
      });
      await ears.until(`cancelled ${run.id}`);
      ears.stop();
    });
  });
}
