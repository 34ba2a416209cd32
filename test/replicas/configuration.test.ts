import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Parsed } from "../api/api-world.ts";
import { deadlineMs, openReplicas, type Replica, type Replicas } from "./replicas.ts";

const model = { provider: "scripted", model: "guide" };

/** Two processes that answer the same clients, and one that works for both. */
describe("definitions in an installation of many processes", { timeout: deadlineMs }, () => {
  let replicas: Replicas;
  let here: Replica;
  let there: Replica;
  beforeAll(async () => {
    replicas = await openReplicas();
    [here, there] = await Promise.all([replicas.start("api"), replicas.start("api")]);
  }, deadlineMs);
  afterAll(() => replicas[Symbol.asyncDispose]());

  async function ask(replica: Replica, query: string, variables: object = {}): Promise<Parsed> {
    const answer = await fetch(`${replica.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${replicas.key}` },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors }: Parsed = await answer.json();
    expect(errors).toBeUndefined();
    return Object.values(data)[0];
  }
  const write = (replica: Replica, systemPrompt: string) =>
    ask(replica, "mutation($input: UpsertConfigEntityInput!) { upsertConfigEntity(input: $input) { __typename } }", {
      input: { kind: "AGENT", name: "clerk", definition: { model, systemPrompt } },
    });
  const send = async (replica: Replica) => {
    const document = `mutation { sendMessage(input: { agent: "clerk", content: "go" }) {
      ... on SubmitTaskSuccess { run { id manifest } } } }`;
    const { run } = await ask(replica, document);
    return { id: run.id, prompt: run.manifest.definition.systemPrompt, revision: run.manifest.revision };
  };
  /** The stream of changes that a process tells, as text. */
  const listen = (replica: Replica) =>
    fetch(`${replica.url}/graphql`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        authorization: `Bearer ${replicas.key}`,
      },
      body: JSON.stringify({ query: "subscription { configChanges { caughtUp changes { revision } } }" }),
    });

  it("are used by the next run of every process, while runs that were accepted keep theirs", async () => {
    expect(await write(here, "old")).toEqual({ __typename: "ConfigSaved" });
    const before = await send(there);
    expect(before).toMatchObject({ prompt: "old", revision: 1 });
    // The other process has resolved the agent, and has to hear that what it knows is not true any more.
    const reader = (await listen(there)).body?.pipeThrough(new TextDecoderStream()).getReader();
    const hears = async (text: string) => {
      for (let heard = ""; !heard.includes(text); ) {
        const { value, done } = (await reader?.read()) ?? { value: "", done: true };
        if (done) throw new Error(`the stream ended before it said ${text}`);
        heard += value;
      }
    };
    await hears('"caughtUp":true');
    expect(await write(here, "new")).toEqual({ __typename: "ConfigSaved" });
    await hears('"revision":2');
    await reader?.cancel();
    expect(await send(there)).toMatchObject({ prompt: "new", revision: 2 });
    await replicas.start("worker");
    const run = `query($id: ID!) { run(id: $id) { status manifest } }`;
    for (let status = ""; status !== "SUCCEEDED"; ) {
      const found = await ask(here, run, { id: before.id });
      expect(found.manifest).toMatchObject({ revision: 1, definition: { systemPrompt: "old" } });
      expect(["QUEUED", "RUNNING", "SUCCEEDED"]).toContain(found.status);
      status = found.status;
    }
  });
});
