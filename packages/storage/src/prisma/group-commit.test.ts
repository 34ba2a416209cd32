import { describe, expect, it } from "vitest";
import { groupCommit } from "./group-commit.ts";
import type { Appended, AppendGroup, Database, EventValues } from "./sql.ts";
import { sqliteDialect } from "./sqlite-database.ts";

const lost = new Error("the connection was lost");

const eventOf = (id: string): EventValues => ({
  id,
  run_id: null,
  task_id: null,
  step_id: null,
  type: "custom",
  visibility: "END_USER",
  payload: {},
  trace_id: null,
  span_id: null,
  at: new Date(0),
});

const groupOf = (sessionId: string, ...ids: string[]): AppendGroup => ({
  sessionId,
  runId: "r",
  fence: "r:1",
  at: new Date(0),
  firstEventAt: null,
  events: ids.map(eventOf),
  steps: [],
  messages: [],
  modelCalls: [],
});

/** A database that keeps a log per session, and does with each flush what the next plan says. */
function fakeDatabase(plans: ("commit" | "lose" | "commit and lose")[] = []) {
  const log = new Map<string, string[]>();
  const flushes: string[][] = [];
  const db: Database = {
    dialect: { ...sqliteDialect, isConnectionLoss: (error) => error === lost },
    appendShards: 1,
    async query(_sql, params = []) {
      const [ids = []] = params;
      return [...log.values()]
        .flatMap((events) => events.map((id, i) => ({ id, project_id: "p", sequence: i + 1 })))
        .filter(({ id }) => Array.isArray(ids) && ids.includes(id));
    },
    transaction: () => Promise.reject(new Error("appends need no other transaction")),
    async appendAlone(_shard, groups): Promise<(Appended | null)[]> {
      const plan = plans.shift() ?? "commit";
      flushes.push(groups.map((group) => group.sessionId));
      await new Promise((resolve) => setImmediate(resolve));
      if (plan === "lose") throw lost;
      const answers = groups.map((group) => {
        const events = log.get(group.sessionId) ?? [];
        events.push(...group.events.map((event) => event.id));
        log.set(group.sessionId, events);
        return { projectId: "p", lastSequence: events.length };
      });
      if (plan === "commit and lose") throw lost;
      return answers;
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  return { db, log, flushes, commits: groupCommit(db, { wake: () => undefined, pause: async () => undefined }) };
}

describe("group commit", () => {
  it("shares one flush among what comes in one tick, and merges a session's batches in order", async () => {
    const { commits, log, flushes } = fakeDatabase();
    const answers = await Promise.all([
      commits.append(groupOf("a", "1", "2")),
      commits.append(groupOf("b", "3")),
      commits.append(groupOf("a", "4")),
    ]);
    expect(flushes).toEqual([["a", "b"]]);
    expect(log.get("a")).toEqual(["1", "2", "4"]);
    expect(answers.map((answer) => answer?.lastSequence)).toEqual([2, 1, 3]);
  });

  it("takes what comes during a flush with the next one", async () => {
    const { commits, flushes } = fakeDatabase();
    const first = commits.append(groupOf("a", "1"));
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([first, commits.append(groupOf("a", "2")), commits.append(groupOf("b", "3"))]);
    expect(flushes).toEqual([["a"], ["a", "b"]]);
  });

  it("repeats a flush that was lost, once", async () => {
    const { commits, log } = fakeDatabase(["lose", "lose"]);
    expect(await commits.append(groupOf("a", "1"))).toEqual({ projectId: "p", lastSequence: 1 });
    expect(log.get("a")).toEqual(["1"]);
  });

  it("does not repeat a flush that was committed when the connection was lost", async () => {
    const { commits, log } = fakeDatabase(["commit and lose"]);
    const answers = await Promise.all([commits.append(groupOf("a", "1", "2")), commits.append(groupOf("b", "3"))]);
    expect(answers).toEqual([
      { projectId: "p", lastSequence: 2 },
      { projectId: "p", lastSequence: 1 },
    ]);
    expect(log.get("a")).toEqual(["1", "2"]);
  });

  it("gives up after a bounded number of attempts", async () => {
    const { commits } = fakeDatabase(Array.from({ length: 50 }, () => "lose" as const));
    await expect(commits.append(groupOf("a", "1"))).rejects.toBe(lost);
  });

  it("says when nothing of a session waits any more", async () => {
    const { commits, log } = fakeDatabase();
    void commits.append(groupOf("a", "1"));
    void commits.append(groupOf("a", "2"));
    await commits.settled("a");
    expect(log.get("a")).toEqual(["1", "2"]);
    await commits.settled("nobody");
  });
});
