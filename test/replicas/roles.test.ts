import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDatabase } from "../api/databases.ts";
import { runCommand } from "../api/server-process.ts";
import { deadlineMs, openReplicas, type Replica, type Replicas } from "./replicas.ts";

describe("the roles of processes", { timeout: deadlineMs }, () => {
  let replicas: Replicas;
  let api: Replica;
  let worker: Replica;
  beforeAll(async () => {
    replicas = await openReplicas();
    [api, worker] = await Promise.all([replicas.start("api"), replicas.start("worker")]);
  }, deadlineMs);
  afterAll(() => replicas[Symbol.asyncDispose]());

  const post = (replica: Replica, query: string) =>
    fetch(`${replica.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${replicas.key}` },
      body: JSON.stringify({ query }),
    });

  it("are ready by themselves, and only the API's answers requests", async () => {
    for (const replica of [api, worker]) {
      expect((await fetch(`${replica.url}/livez`)).status).toBe(200);
      expect((await fetch(`${replica.url}/readyz`)).status).toBe(200);
    }
    expect((await post(api, "{ viewer { __typename } }")).status).toBe(200);
    expect((await post(worker, "{ viewer { __typename } }")).status).toBe(404);
    expect((await fetch(worker.url)).status).toBe(404);
  });

  it("share the work: one takes it, the other does it", async () => {
    const sent = await post(
      api,
      `mutation { sendMessage(input: { agent: "echo", content: "go" }) { ... on SubmitTaskSuccess { run { id } } } }`,
    );
    const { data } = await sent.json();
    const stream = await fetch(`${api.url}/graphql`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        authorization: `Bearer ${replicas.key}`,
      },
      body: JSON.stringify({
        query: `subscription { runEvents(runId: "${data.sendMessage.run.id}") { terminal events { type } } }`,
      }),
    });
    expect(await stream.text()).toContain("run.succeeded");
    const [run] = await replicas.sql<{ owner: string }>("SELECT owner FROM runs");
    expect(run?.owner).toContain(`-${worker.pid}-`);
  });

  it("are refused over a database that has one process", async () => {
    await using database = await makeDatabase("sqlite");
    const refused = await runCommand(database, ["serve", "--role", "worker"]);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("SQLite is served by one process") });
    expect(await runCommand(database, ["serve", "--role", "captain"])).toMatchObject({ code: 2 });
  });
});
