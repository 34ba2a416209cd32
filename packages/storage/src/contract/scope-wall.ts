import type { Authority } from "@wheelhouse/domain";
import { describe, expect, it } from "vitest";
import type { ContractWorld, OpenContractWorld } from "./contract-world.ts";
import {
  batchOf,
  claimRun,
  customEvent,
  emptyBatch,
  newSession,
  registerGuide,
  startRun,
  useWorld,
  workOf,
} from "./sample-work.ts";

/** What one owner made, or ids of things that never existed. */
interface Targets {
  sessionId: string;
  taskId: string;
  runId: string;
  interruptId: string;
  externalId: string;
}

interface Walled {
  /** Calls the method as this caller on these targets; the answer must not tell a foreign thing from nothing. */
  call: (world: ContractWorld, caller: Authority, targets: Targets) => Promise<unknown>;
  /** Two scopes with one key cannot both own an external id: there the database refuses, which also tells nothing. */
  ownsByKey?: true;
}

/** Methods that take no caller: they serve the worker, the process or signing in, never a request's ids. */
type Row = Walled | { unscoped: string };

const worker = { unscoped: "the worker's side; it holds a fence or takes whatever is runnable" };
const signingIn = { unscoped: "decides who the caller is, before there is an authority" };
const hints = { unscoped: "hints without content; whoever wakes reads through the wall" };

const rows: Record<string, Row> = {
  "agents.register": { unscoped: "the process registers what its files and code define" },
  "sessions.create": {
    ownsByKey: true,
    call: (world, caller, { externalId }) =>
      world.storage.sessions.create(caller, {
        agentName: "private",
        externalId,
        idempotencyKey: null,
        requestFingerprint: "f",
        create: newSession(world),
        at: world.clock.now(),
      }),
  },
  "sessions.get": { call: (world, caller, { sessionId }) => world.storage.sessions.get(caller, sessionId) },
  "sessions.findByExternalId": {
    call: (world, caller, { externalId }) => world.storage.sessions.findByExternalId(caller, "private", externalId),
  },
  "sessions.update": {
    call: (world, caller, { sessionId }) =>
      world.storage.sessions.update(caller, sessionId, { title: "stolen", at: world.clock.now() }),
  },
  "tasks.submit": {
    call: (world, caller, { sessionId }) =>
      world.storage.tasks.submit(
        caller,
        workOf(world, { session: { by: "id", id: sessionId }, agentName: "private", policy: "INTERRUPT" }),
      ),
  },
  "tasks.get": { call: (world, caller, { taskId }) => world.storage.tasks.get(caller, taskId) },
  "tasks.cancel": {
    call: (world, caller, { taskId }) =>
      world.storage.tasks.cancel(caller, { taskId, reason: "stolen", at: world.clock.now() }),
  },
  "runs.get": { call: (world, caller, { runId }) => world.storage.runs.get(caller, runId) },
  "runs.claim": worker,
  "runs.renew": worker,
  "runs.release": worker,
  "runs.releaseAll": worker,
  "runs.record": worker,
  "runs.finish": worker,
  "runs.openEnds": worker,
  "interrupts.get": { call: (world, caller, { interruptId }) => world.storage.interrupts.get(caller, interruptId) },
  "interrupts.decide": {
    call: async (world, caller, { interruptId }) => {
      const outcome = await world.storage.interrupts.decide(caller, {
        decisions: [{ id: interruptId, decision: "RESPOND", value: "stolen" }],
        newRunId: world.newId(),
        at: world.clock.now(),
      });
      // The refusal repeats the id that was asked for, and nothing else.
      return outcome.outcome === "notFound" && outcome.id === interruptId ? "notFound" : outcome;
    },
  },
  "events.read": {
    call: (world, caller, { sessionId }) => world.storage.events.read(caller, { sessionId, after: 0, limit: 10 }),
  },
  "access.ensureProject": signingIn,
  "access.projectBySlug": signingIn,
  "access.countUsers": signingIn,
  "access.grantMembership": signingIn,
  "access.membershipsOf": signingIn,
  "access.createApiKey": signingIn,
  "access.apiKeyByPrefix": signingIn,
  "access.apiKeys": signingIn,
  "access.revokeApiKey": signingIn,
  "access.touchApiKey": signingIn,
  "wakeUps.onSession": hints,
  "wakeUps.onProject": hints,
  "wakeUps.onRunnable": hints,
  "wakeUps.onCancelled": hints,
  ping: { unscoped: "says only that the database answers" },
};

/** The names of the port's methods, found on the storage itself. */
function methodsOf(storage: object): string[] {
  const own = (value: object): string[] => {
    const prototype: unknown = Object.getPrototypeOf(value);
    const inherited =
      typeof prototype === "object" && prototype !== null && prototype !== Object.prototype
        ? Object.getOwnPropertyNames(prototype)
        : [];
    return [...Object.keys(value), ...inherited].filter((name) => name !== "constructor");
  };
  return own(storage).flatMap((name) => {
    const member: unknown = Reflect.get(storage, name);
    if (typeof member === "function") return [name];
    if (typeof member !== "object" || member === null) return [];
    return own(member)
      .filter((method) => typeof Reflect.get(member, method) === "function")
      .map((method) => `${name}.${method}`);
  });
}

/** Of the wake-ups' adapter, not of the port. */
const beside = new Set(["wakeUps.deliver", "wakeUps.wakeEverybody"]);

/** A row outside the caller's authority is the same as a row that does not exist, in every method. */
export function scopeWallContract(openWorld: OpenContractWorld): void {
  describe("the scope wall", () => {
    const world = useWorld(openWorld);
    const ownerScope = { project: "acme", team: "blue", user: "u-1" };
    const owner = () => world().authority({ reach: "EXACT", scope: ownerScope });

    /** Callers who must not see what the owner made. */
    const strangers: Record<string, () => Authority> = {
      "a sibling scope": () => world().authority({ reach: "EXACT", scope: { ...ownerScope, user: "u-2" } }),
      "a part of the scope": () => world().authority({ reach: "EXACT", scope: { project: "acme", team: "blue" } }),
      "the bare project": () => world().authority({ reach: "EXACT", scope: { project: "acme" } }),
      "a longer scope": () => world().authority({ reach: "EXACT", scope: { ...ownerScope, tab: "1" } }),
      "an empty scope": () => world().authority({ reach: "EXACT", scope: {} }),
      "the owner's key with another scope": () => ({ ...owner(), scope: { ...ownerScope, user: "u-2" } }),
      "another project's people": () =>
        world().authority({ projectId: world().otherProjectId, scope: { project: "globex" } }),
      "another project with the same scope": () => ({ ...owner(), projectId: world().otherProjectId }),
    };

    const ownersThings = new Map<string, Promise<Targets>>();

    async function makeTargets(): Promise<Targets> {
      await registerGuide(world(), world().projectId, "private");
      await registerGuide(world(), world().otherProjectId, "private");
      const externalId = `chat-${world().newId()}`;
      const session = { by: "externalId", externalId, create: newSession(world()) } as const;
      const started = await startRun(world(), { session, agentName: "private" }, owner());
      const interruptId = world().newId();
      const interrupts = [
        {
          id: interruptId,
          interruptId: "i",
          kind: "QUESTION" as const,
          actionRequests: [],
          allowedDecisions: ["RESPOND" as const],
          expiresAt: null,
        },
      ];
      await world().storage.runs.finish(started.claimed.fence, emptyBatch, {
        status: "INTERRUPTED",
        interrupts,
        at: world().clock.now(),
      });
      const running = await world().storage.tasks.submit(
        owner(),
        workOf(world(), { session: { by: "id", id: started.session.id }, agentName: "private" }),
      );
      if (running.outcome !== "submitted") throw new Error("The owner may submit");
      await world().storage.runs.record(
        (await claimRun(world(), running.run.id)).fence,
        batchOf({ events: [customEvent(world())] }),
      );
      return { sessionId: started.session.id, taskId: running.task.id, runId: running.run.id, interruptId, externalId };
    }

    it("has a row for every method of the port", () => {
      const methods = methodsOf(world().storage).filter((name) => !beside.has(name));
      expect(methods.sort()).toEqual(Object.keys(rows).sort());
    });

    for (const [name, row] of Object.entries(rows)) {
      if (!("call" in row)) continue;
      for (const [stranger, authority] of Object.entries(strangers))
        it(`${name} answers ${stranger} as if nothing were there`, async () => {
          // One set for all strangers to a method, as none of them may change it.
          const made = ownersThings.get(name) ?? makeTargets();
          ownersThings.set(name, made);
          const targets = await made;
          const nothing: Targets = {
            sessionId: world().newId(),
            taskId: world().newId(),
            runId: world().newId(),
            interruptId: world().newId(),
            externalId: `chat-${world().newId()}`,
          };
          const shape = (answer: unknown) => withoutIds(answer);
          const before = await snapshot(world(), targets);
          const call = row.call(world(), authority(), targets);
          if (row.ownsByKey && stranger === "the owner's key with another scope")
            return expect(call).rejects.toThrow(/unique|UNIQUE/);
          const foreign = shape(await call);
          expect(foreign).toEqual(shape(await row.call(world(), authority(), nothing)));
          expect(await snapshot(world(), targets)).toEqual(before);
        });
      it(`${name} answers the owner`, async () => {
        const targets = await makeTargets();
        const answer = await row.call(world(), owner(), targets);
        expect(answer).not.toBeNull();
        expect(answer).not.toMatchObject({ outcome: "notFound" });
        expect(answer).not.toBe("notFound");
      });
    }
  });
}

/** Rows of the owner, to see that a stranger's call left them alone. */
const snapshot = async ({ models }: ContractWorld, targets: Targets) => ({
  session: await models.session.findUnique({ where: { id: targets.sessionId } }),
  task: await models.task.findUnique({ where: { id: targets.taskId } }),
  run: await models.run.findUnique({ where: { id: targets.runId } }),
  interrupt: await models.interrupt.findUnique({ where: { id: targets.interruptId } }),
});

/** What an answer says without what is its own: a stranger who creates a session gets one, with ids of its own. */
function withoutIds(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null) return answer;
  if ("outcome" in answer && answer.outcome === "created") return { outcome: "created" };
  return answer;
}
