import type { Authority } from "@wheelhouse/domain";
import { describe, expect, it } from "vitest";
import { publish } from "./artifacts.ts";
import { artifactRows } from "./artifacts-wall.ts";
import { configPut, inDraft } from "./configuring.ts";
import type { ContractWorld, OpenContractWorld } from "./contract-world.ts";
import { readFeedToEnd } from "./feeding.ts";
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
import { makeSchedule, scheduleSettings } from "./schedules.ts";
import { makeWebhook } from "./webhooks.ts";

/** What one owner made, or ids of things that never existed. */
export interface Targets {
  sessionId: string;
  taskId: string;
  runId: string;
  interruptId: string;
  externalId: string;
  scheduleId: string;
  webhookId: string;
  deliveryId: string;
  configId: string;
  configName: string;
  artifactId: string;
  artifactPath: string;
}

/** Where the owner's things are. */
const ownerScope = { project: "acme", team: "blue", user: "u-1" };

interface Walled {
  /** Calls the method as this caller on these targets; the answer must not tell a foreign thing from nothing. */
  call: (world: ContractWorld, caller: Authority, targets: Targets) => Promise<unknown>;
  /** Two scopes with one key cannot both own an external id: there the database refuses, which also tells nothing. */
  ownsByKey?: true;
  /** It belongs to the project: the owner is somebody with project reach. */
  ofProject?: true;
}

/** Methods that take no caller: they serve the worker, the process or signing in, never a request's ids. */
export type Row = Walled | { unscoped: string };

const worker = { unscoped: "the worker's side; it holds a fence or takes whatever is runnable" };
const sweeping = { unscoped: "the product's own sweeps over all projects; nobody's request reaches them" };
const signingIn = { unscoped: "decides who the caller is, before there is an authority" };
const clock = { unscoped: "the clock's side; it serves every project and answers no caller" };
const hints = { unscoped: "hints without content; whoever wakes reads through the wall" };

const rows: Record<string, Row> = {
  "agents.register": { unscoped: "the process registers what its files and code define" },
  "agents.draw": { unscoped: "the process draws what was defined" },
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
  "sessions.head": { call: (world, caller, { sessionId }) => world.storage.sessions.head(caller, sessionId) },
  "sessions.announceFork": {
    call: (world, caller, { sessionId }) =>
      world.storage.sessions.announceFork(caller, {
        ...{ sourceId: sessionId, forkId: world.newId(), threadId: world.newId(), at: world.clock.now() },
      }),
  },
  "sessions.fork": {
    call: async (world, caller, { sessionId }) => {
      const forkId = world.newId();
      const session = newSession(world);
      // Somebody else's announcement, which must not help a stranger.
      const at = world.clock.now();
      await world.models.job.create({
        data: {
          ...{ id: forkId, projectId: world.projectId, kind: "FORK", status: "RUNNING", createdAt: at, updatedAt: at },
          filter: { threadId: session.threadId },
        },
      });
      const request = { forkId, sourceId: sessionId, checkpointId: "c1", session, headCheckpoint: "c1", at };
      return await world.storage.sessions.fork(caller, { ...request, messages: [], events: [], work: null });
    },
  },
  "sessions.abandonForks": sweeping,
  "sessions.forgetFork": sweeping,
  "sessions.claimPruning": sweeping,
  "sessions.postponePruning": sweeping,
  "sessions.checkpointAnchors": sweeping,
  "sessions.page": {
    call: (world, caller, { sessionId }) =>
      world.storage.sessions.page(caller, { after: null, limit: 10, only: sessionId }),
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
  "tasks.retry": {
    call: (world, caller, { taskId }) =>
      world.storage.tasks.retry(caller, { taskId, newRunId: world.newId(), traceId: null, at: world.clock.now() }),
  },
  "runs.get": { call: (world, caller, { runId }) => world.storage.runs.get(caller, runId) },
  "runs.claim": worker,
  "runs.renew": worker,
  "runs.lost": worker,
  "runs.expireQueued": worker,
  "runs.release": worker,
  "runs.releaseAll": worker,
  "runs.begin": worker,
  "runs.record": worker,
  "runs.finish": worker,
  "runs.openEnds": worker,
  "runs.takeBack": worker,
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
  "interrupts.expire": { unscoped: "a sweep over all projects; it takes no ids and tells nobody" },
  "messages.rebuild": {
    call: (world, caller, { sessionId }) =>
      world.storage.messages.rebuild(caller, {
        ...{ sessionId, lastSequence: 0, messages: [], dryRun: false, at: world.clock.now() },
      }),
  },
  "events.read": {
    call: (world, caller, { sessionId }) => world.storage.events.read(caller, { sessionId, after: 0, limit: 10 }),
  },
  "schedules.create": {
    ofProject: true,
    call: (world, caller) =>
      world.storage.schedules.create(caller, {
        id: world.newId(),
        settings: scheduleSettings({ name: `s-${world.newId()}` }),
        at: world.clock.now(),
      }),
  },
  "schedules.get": {
    ofProject: true,
    call: (world, caller, { scheduleId }) => world.storage.schedules.get(caller, scheduleId),
  },
  "schedules.update": {
    ofProject: true,
    call: (world, caller, { scheduleId }) =>
      world.storage.schedules.update(caller, scheduleId, { settings: { enabled: false }, at: world.clock.now() }),
  },
  "schedules.delete": {
    ofProject: true,
    call: (world, caller, { scheduleId }) => world.storage.schedules.delete(caller, scheduleId),
  },
  "schedules.due": clock,
  "schedules.settle": clock,
  "schedules.noteTask": clock,
  "webhooks.create": {
    ofProject: true,
    call: (world, caller) =>
      world.storage.webhooks.create(caller, {
        id: world.newId(),
        url: "https://example.com",
        events: ["task.completed"],
        secretCipher: "sealed",
        at: world.clock.now(),
      }),
  },
  "webhooks.get": {
    ofProject: true,
    call: (world, caller, { webhookId }) => world.storage.webhooks.get(caller, webhookId),
  },
  "webhooks.update": {
    ofProject: true,
    call: (world, caller, { webhookId }) =>
      world.storage.webhooks.update(caller, webhookId, { change: { enabled: false }, at: world.clock.now() }),
  },
  "webhooks.delete": {
    ofProject: true,
    call: (world, caller, { webhookId }) => world.storage.webhooks.delete(caller, webhookId),
  },
  "webhooks.sendTest": {
    ofProject: true,
    call: (world, caller, { webhookId }) =>
      world.storage.webhooks.sendTest(caller, webhookId, { deliveryId: world.newId(), at: world.clock.now() }),
  },
  "webhooks.replay": {
    ofProject: true,
    call: (world, caller, { deliveryId }) => world.storage.webhooks.replay(caller, deliveryId, world.clock.now()),
  },
  "webhooks.claim": clock,
  "webhooks.settle": clock,
  "webhooks.prune": clock,
  "webhooks.secrets": clock,
  "webhooks.reseal": clock,
  "config.reads": {
    call: async (world, caller, { configId, configName: name }) => {
      const reads = world.storage.config.reads(caller);
      const key = { kind: "AGENT", name, scope: ownerScope } as const;
      const found = [
        await reads.candidates(ownerScope, [key]),
        (await reads.candidatesOfKind(ownerScope, "AGENT")).filter((entity) => entity.name === name),
        await reads.entity(key),
        await reads.entitiesById([configId]),
        await reads.revision(key, 1),
        await reads.labels(key),
        await reads.namedBy([{ kind: "TOOL", name: `of-${name}` }], 10),
        (await reads.someOfKind("AGENT", 1000)).filter((entity) => entity.name === name),
        await reads.list({ text: name }, { after: null, limit: 10 }),
        (await reads.count({ text: name }, 10)) === 0 ? null : "counted",
      ].flat();
      return found.some((one) => one !== null) ? found.map((one) => one !== null) : "notFound";
    },
  },
  "config.change": {
    call: (world, caller, { configName: name }) =>
      inDraft(world, caller, (draft) =>
        draft.delete({ kind: "AGENT", name, scope: ownerScope, reason: null, at: world.clock.now() }),
      ),
  },
  "config.changes": {
    call: async (world, caller, { configName }) => {
      const { changes } = await world.storage.config.changes(caller, { after: 0, limit: 1000 });
      return changes.some(({ name }) => name === configName) ? changes : "notFound";
    },
  },
  "config.position": { unscoped: "a number of the project, which says only that something changed" },
  "events.readFeed": {
    call: async (world, caller, { sessionId }) => {
      const { events } = await readFeedToEnd(world, { as: caller, limit: 500, scan: 500, filter: { sessionId } });
      // How far a page looked says only that the project has events.
      return events.length === 0 ? "notFound" : events;
    },
  },
  "events.feedEnd": { unscoped: "a place of the installation; whoever reads behind it reads through the wall" },
  ...artifactRows,
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
  "workers.beat": worker,
  "workers.remove": worker,
  "workers.live": { unscoped: "the processes of the installation, not the work of anybody" },
  "dispatch.start": worker,
  "dispatch.recoverExpired": worker,
  "dispatch.repair": worker,
  "wakeUps.onSession": hints,
  "wakeUps.onProject": hints,
  "wakeUps.onRunnable": hints,
  "wakeUps.onCancelled": hints,
  "wakeUps.onDeliveries": hints,
  "wakeUps.onConfig": hints,
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
      const { id: scheduleId } = await makeSchedule(world());
      // A project has only so many webhooks; those of the methods before have been looked at.
      await world().models.webhook.deleteMany({ where: { projectId: world().projectId } });
      const { id: webhookId } = await makeWebhook(world());
      const deliveryId = world().newId();
      await world().storage.webhooks.sendTest(world().authority(), webhookId, { deliveryId, at: world().clock.now() });
      const configName = `own-${world().newId()}`;
      const references = [{ path: "tools[0]", kind: "TOOL" as const, name: `of-${configName}` }];
      const put = await inDraft(world(), owner(), (draft) =>
        draft.put({ ...configPut(world(), { name: configName, scope: ownerScope }), references }),
      );
      if (put.outcome !== "put") throw new Error("The owner may write a definition at their scope");
      const configId = put.entity.id;
      const { id: artifactId, path: artifactPath } = await publish(world(), {}, owner());
      return {
        ...{ configId, configName, artifactId, artifactPath },
        ...{ sessionId: started.session.id, taskId: running.task.id, runId: running.run.id, interruptId, externalId },
        ...{ scheduleId, webhookId, deliveryId },
      };
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
            scheduleId: world().newId(),
            webhookId: world().newId(),
            deliveryId: world().newId(),
            configId: world().newId(),
            configName: "nothing",
            artifactId: world().newId(),
            artifactPath: `/files/${world().newId()}`,
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
        const answer = await row.call(world(), row.ofProject ? world().authority() : owner(), targets);
        expect(answer).not.toBeNull();
        expect(answer).not.toBe(false);
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
  schedule: await models.schedule.findUnique({ where: { id: targets.scheduleId } }),
  webhook: await models.webhook.findUnique({ where: { id: targets.webhookId } }),
  config: await models.configEntity.findUnique({ where: { id: targets.configId } }),
  artifact: await models.artifact.findUnique({ where: { id: targets.artifactId } }),
  delivery: await models.webhookDelivery.findUnique({ where: { id: targets.deliveryId } }),
});

/** What an answer says without what is its own: a stranger who creates a session gets one, with ids of its own. */
function withoutIds(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null) return answer;
  if ("outcome" in answer && answer.outcome === "created") return { outcome: "created" };
  return answer;
}
