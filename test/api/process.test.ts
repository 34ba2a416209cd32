import { openStorage } from "@wheelhouse/storage/prisma";
import { v7 as newId } from "uuid";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeKey, type Parsed } from "./api-world.ts";
import { databaseKinds, makeDatabase, type TestDatabase } from "./databases.ts";
import { runCommand, type ServerProcess, startServer } from "./server-process.ts";
import { nextMessages } from "./transports.ts";

/** For whole processes on a machine that has other work; nothing here waits for a time. */
const deadlineMs = 300_000;

interface Event {
  sequence: number;
  type: string;
  payload: { text?: string; messageId?: string };
}

describe.each(databaseKinds)("the server's process on %s", (kind) => {
  let database: TestDatabase;
  let key: string;
  let server: ServerProcess;
  beforeEach(async () => {
    database = await makeDatabase(kind);
    server = await startServer(database);
    const options = { url: database.url, clock: { now: () => new Date() }, newId, onError: () => undefined };
    const { storage } = await openStorage(options);
    const project = await storage.access.projectBySlug("default");
    if (project === null) throw new Error("the server has made no project");
    key = await makeKey(storage, project);
    await storage[Symbol.asyncDispose]();
  }, deadlineMs);
  afterEach(async () => {
    server.child.kill("SIGKILL");
    await server.ended;
    await database[Symbol.asyncDispose]();
  });

  const post = (query: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${server.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
      body: JSON.stringify({ query }),
    });
  const ask = async (query: string): Promise<Parsed> => {
    const { data, errors } = (await (await post(query)).json()) as { data: unknown; errors?: unknown };
    expect(errors).toBeUndefined();
    return data;
  };
  const begin = async (agent: string): Promise<{ session: { id: string }; run: { id: string } }> =>
    (
      await ask(`mutation { sendMessage(input: { agent: "${agent}", content: "go" }) { ... on SubmitTaskSuccess {
        session { id } run { id } } } }`)
    ).sendMessage;
  /** Reads a run's stream until `enough`, or to its end. */
  const follow = async (runId: string, enough: (events: Event[]) => boolean): Promise<void> => {
    const events: Event[] = [];
    const answer = await post(`subscription { runEvents(runId: "${runId}") { events { sequence type payload } } }`, {
      accept: "text/event-stream",
    });
    for await (const { data } of nextMessages(answer)) {
      events.push(...data.runEvents.events);
      if (enough(events)) return;
    }
  };

  it(
    "killed in the middle of a run, it finishes the run when it is started again",
    async () => {
      const { session, run } = await begin("slow");
      await follow(run.id, (events) => events.filter(({ type }) => type === "message.delta").length >= 3);
      server.child.kill("SIGKILL");
      await server.ended;
      if (kind === "postgres") {
        // Nobody may assume that the other process is dead: the lease has to run out. Here it already has.
        const { default: pg } = await import("pg");
        const client = new pg.Client({ connectionString: database.url });
        await client.connect();
        await client.query("UPDATE runs SET lease_expires_at = now() - interval '1 minute' WHERE status = 'RUNNING'");
        await client.end();
      }
      server = await startServer(database);
      await follow(run.id, () => false);
      const data = await ask(`{ session(id: "${session.id}") { status messages { nodes { role content } }
      events(first: 500) { events { sequence type payload } } } run(id: "${run.id}") { status recoveries } }`);
      expect(data.run).toEqual({ status: "SUCCEEDED", recoveries: 1 });
      expect(data.session.status).toBe("IDLE");
      const events: Event[] = data.session.events.events;
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_event, i) => i + 1));
      expect(events.filter(({ type }) => type === "run.succeeded")).toHaveLength(1);
      expect(events.filter(({ type }) => type === "message.discarded")).toHaveLength(1);
      expect(data.session.messages.nodes.map(({ role }: { role: string }) => role)).toEqual(["USER", "ASSISTANT"]);
      expect(data.session.messages.nodes[1].content.split(" ").filter(Boolean)).toHaveLength(120);
      const next = await ask(
        `mutation { sendMessage(input: { sessionId: "${session.id}", content: "again" }) { __typename } }`,
      );
      expect(next.sendMessage.__typename).toBe("SubmitTaskSuccess");
    },
    deadlineMs,
  );

  it(
    "goes on while a command brings lost messages of its conversations back",
    async () => {
      const { session, run } = await begin("echo");
      await follow(run.id, () => false);
      const messages = async () =>
        (await ask(`{ session(id: "${session.id}") { messages { nodes { id seq role content } } } }`)).session.messages;
      const before = await messages();
      const { storage, models } = await openStorage({
        ...{ url: database.url, clock: { now: () => new Date() }, newId, onError: () => undefined },
      });
      await models.message.deleteMany({});
      await storage[Symbol.asyncDispose]();
      const rebuild = async (...more: string[]) => {
        const { code, out, err } = await runCommand(database, ["messages", "rebuild", "--json", ...more]);
        expect({ code, err }).toEqual({ code: 0, err: "" });
        return JSON.parse(out);
      };
      expect(await rebuild("--dry-run")).toMatchObject({ dryRun: true, sessions: 1, inserted: 2 });
      expect((await messages()).nodes).toEqual([]);
      expect(await rebuild("--session", session.id)).toMatchObject({
        dryRun: false,
        sessions: 1,
        inserted: 2,
        told: 0,
      });
      expect(await messages()).toEqual(before);
      const unknown = await runCommand(database, ["messages", "rebuild", "--session", "Session_nothing"]);
      expect(unknown).toMatchObject({ code: 1, err: "There is no session Session_nothing\n" });
    },
    deadlineMs,
  );

  it(
    "told to end, it ends by itself and leaves nothing open, also with a run at hand and a reader on the line",
    async () => {
      const { run } = await begin("stuck");
      let closed: Promise<void> | null = null;
      await follow(run.id, (events) => {
        if (events.some(({ type }) => type === "message.delta")) return true;
        return false;
      });
      closed = follow(run.id, () => false).catch(() => undefined);
      server.child.kill("SIGTERM");
      expect(await server.ended).toEqual({ code: 0, signal: null });
      await closed;
      expect(server.output()).toContain("stopped");
      expect(server.output()).not.toContain("kept the process alive");
    },
    deadlineMs,
  );
});

describe("the command", () => {
  it(
    "migrates, makes keys and owners, and says what is wrong with its exit code",
    async () => {
      await using database = await makeDatabase("sqlite");
      const tooEarly = await runCommand(database, ["keys", "list"]);
      expect(tooEarly).toMatchObject({ code: 1, err: expect.stringContaining("wheelhouse migrate deploy") });
      expect((await runCommand(database, ["migrate", "deploy"])).code).toBe(0);
      const create = ["keys", "create", "--name", "one", "--scope", "user=u-1", "--json"];
      const made = JSON.parse((await runCommand(database, create)).out);
      expect(made).toMatchObject({ reach: "EXACT", fixedScope: { project: "default", user: "u-1" } });
      const listed = await runCommand(database, ["keys", "list", "--json"]);
      expect(listed.out).toContain(made.prefix);
      expect(listed.out).not.toContain(made.key);
      expect((await runCommand(database, ["keys", "revoke", made.prefix])).code).toBe(0);
      const owner = ["admin", "create-owner", "--email", "ada@example.com", "--password-stdin"];
      expect((await runCommand(database, owner, "correct horse battery\n")).code).toBe(0);
      expect((await runCommand(database, ["sail"])).code).toBe(2);
    },
    deadlineMs,
  );
});
