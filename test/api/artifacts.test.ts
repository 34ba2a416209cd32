import { createHash } from "node:crypto";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiWorld, openApiWorld } from "./api-world.ts";
import { databaseKinds } from "./databases.ts";

const refusal = "... on Refusal { code message retryable } ... on Invalid { issues { path message } }";
const shown = "id path name kind latestVersion contentType bytes checksum text url visibility source scope";
const putDocument = `mutation($input: PutArtifactInput!) { putArtifact(input: $input) { __typename
  ... on Artifact { ${shown} } ... on ArtifactConflict { current { id latestVersion } } ${refusal} } }`;
const sha256 = (data: Uint8Array | string) => createHash("sha256").update(data).digest("hex");
const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);

describe.each(databaseKinds)("artifacts over the API on %s", (kind) => {
  let world: ApiWorld;
  let key: string;
  let one: string;
  let sibling: string;
  beforeAll(async () => {
    world = await openApiWorld({
      kind,
      environment: { WHEELHOUSE_ARTIFACT_QUOTA_MB: "20", WHEELHOUSE_SCOPE_KEYS: "project,user" },
    });
    key = await world.makeKey();
    one = await world.makeKey({ reach: "EXACT", scope: { user: "u-1" } });
    sibling = await world.makeKey({ reach: "EXACT", scope: { user: "u-2" } });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  async function ask(document: string, variables: object = {}, by = one) {
    const { data, errors } = await world.ask(by, document, variables);
    expect(errors).toBeUndefined();
    return data;
  }
  const put = async (input: object, by = one) => (await ask(putDocument, { input }, by)).putArtifact;
  const http = (path: string, init: RequestInit = {}, by: string | null = one) =>
    fetch(`${world.server.url}/artifacts/${path}`, {
      ...init,
      headers: { ...(by === null ? {} : { authorization: `Bearer ${by}` }), ...init.headers },
    });
  const codeOf = async (answer: Response) => (await answer.json()).errors[0].extensions.code;

  it("makes versions, shows them, lays them side by side and brings one back", async () => {
    const first = await put({ path: "/artifacts/report.md", text: "# Report\n\nold\n", expectedVersion: 0 });
    expect(first).toMatchObject({
      ...{
        __typename: "Artifact",
        path: "/artifacts/report.md",
        name: "report.md",
        kind: "ARTIFACT",
        latestVersion: 1,
      },
      ...{ contentType: "text/markdown", bytes: 14, text: "# Report\n\nold\n", visibility: "END_USER", source: "api" },
      ...{ checksum: sha256("# Report\n\nold\n"), scope: { project: "default", user: "u-1" } },
    });
    const { id } = first;
    const second = await put({ path: "report.md", text: "# Report\n\nnew\n", expectedVersion: 1 });
    expect(second).toMatchObject({ id, latestVersion: 2, text: "# Report\n\nnew\n" });
    expect(await put({ path: "report.md", text: "late", expectedVersion: 1 })).toMatchObject({
      ...{ __typename: "ArtifactConflict", code: "ARTIFACT_CONFLICT", current: { id, latestVersion: 2 } },
    });
    const detail = `query($id: ID!) { artifact(id: $id) { text(version: 1) url(version: 1)
      versions(first: 5) { totalCount nodes { version contentType bytes checksum parentVersion url createdBy run { id } } }
      diff(from: 1) { from to added removed hunks { kind text oldLine newLine } } version(version: 3) { id }
      session { id } run { id } } }`;
    const { artifact } = await ask(detail, { id });
    expect(artifact).toMatchObject({
      ...{ text: "# Report\n\nold\n", version: null, session: null, run: null },
      diff: { from: 1, to: 2, added: 1, removed: 1 },
    });
    expect(artifact.versions.totalCount).toBe(2);
    expect(artifact.versions.nodes.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
    expect(artifact.diff.hunks[0]).toContainEqual({ kind: "ADDED", text: "new", oldLine: null, newLine: 3 });
    const restored = await ask(
      `mutation($id: ID!) { restoreArtifactVersion(input: { artifactId: $id, version: 1 }) { __typename
        ... on Artifact { latestVersion text source } ${refusal} } }`,
      { id },
    );
    expect(restored.restoreArtifactVersion).toMatchObject({
      latestVersion: 3,
      text: "# Report\n\nold\n",
      source: "restore",
    });
    const byPath = await ask(`{ artifact(path: "report.md") { id } node(id: "${id}") { ... on Artifact { path } } }`);
    expect(byPath).toEqual({ artifact: { id }, node: { path: "/artifacts/report.md" } });
  });

  it("lists in the order of paths, by kind and by the beginning of a path", async () => {
    for (const path of ["/files/list/b.txt", "/files/list/a.txt", "/memories/list.md"]) await put({ path, text: path });
    const list = async (filter: string, by = one) =>
      (await ask(`{ artifacts(first: 10, filter: { ${filter} }) { totalCount nodes { path bytes } } }`, {}, by))
        .artifacts;
    expect(await list(`pathPrefix: "/files/list/"`)).toEqual({
      totalCount: 2,
      nodes: [
        { path: "/files/list/a.txt", bytes: 17 },
        { path: "/files/list/b.txt", bytes: 17 },
      ],
    });
    expect((await list("kinds: [MEMORY]")).nodes).toEqual([{ path: "/memories/list.md", bytes: 17 }]);
    expect((await list(`text: "LIST/A"`)).nodes.map(({ path }: { path: string }) => path)).toEqual([
      "/files/list/a.txt",
    ]);
    expect((await list(`text: "list_a"`)).totalCount).toBe(0);
    expect((await list(`pathPrefix: "/files/list/"`, key)).totalCount).toBe(2);
    expect((await list(`pathPrefix: "/files/list/"`, sibling)).totalCount).toBe(0);
  });

  it("hides from a sibling scope what it does not own, everywhere", async () => {
    const { id } = await put({ path: "/files/mine.txt", text: "mine" });
    const gone = `query($id: ID!) { artifact(id: $id) { id } node(id: $id) { id } }`;
    expect(await ask(gone, { id }, sibling)).toEqual({ artifact: null, node: null });
    expect((await http(id, {}, sibling)).status).toBe(404);
    expect((await http("files/mine.txt", {}, sibling)).status).toBe(404);
    expect((await http(id, {}, null)).status).toBe(401);
    const remove = `mutation($id: ID!) { deleteArtifact(input: { artifactId: $id }) { __typename ${refusal} } }`;
    expect((await ask(remove, { id }, sibling)).deleteArtifact.__typename).toBe("NotFound");
    const theirs = await put({ path: "/files/mine.txt", text: "theirs" }, sibling);
    expect(theirs.id).not.toBe(id);
    expect(await (await http("files/mine.txt")).text()).toBe("mine");
  });

  it("takes a body by HTTP and gives it back whole, in part, and not again", async () => {
    const data = new Uint8Array(3_000_000).map((_, i) => i % 251);
    const sent = await http("files/big.bin", {
      method: "PUT",
      body: data,
      headers: { "x-wheelhouse-sha256": sha256(data) },
    });
    expect(sent.status).toBe(201);
    const { id, url, version } = await sent.json();
    expect({ url, version }).toEqual({ url: `/artifacts/${id}`, version: 1 });
    const whole = await http(id);
    const etag = `"${sha256(data)}"`;
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      ...{ etag, "content-length": "3000000", "accept-ranges": "bytes", "x-content-type-options": "nosniff" },
      ...{
        "content-type": "application/octet-stream",
        "cache-control": "private, no-cache",
        "x-wheelhouse-version": "1",
      },
    });
    expect(sha256(new Uint8Array(await whole.arrayBuffer()))).toBe(sha256(data));
    const part = await http(id, { headers: { range: "bytes=1048570-1048580" } });
    expect(part.status).toBe(206);
    expect(part.headers.get("content-range")).toBe("bytes 1048570-1048580/3000000");
    expect([...new Uint8Array(await part.arrayBuffer())]).toEqual([...data.subarray(1_048_570, 1_048_581)]);
    expect((await http(id, { headers: { range: "bytes=3000000-" } })).status).toBe(416);
    expect((await http(id, { headers: { range: "bytes=0-1", "if-range": `"old"` } })).status).toBe(200);
    expect((await http(id, { headers: { "if-none-match": etag } })).status).toBe(304);
    const head = await http(id, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "3000000", ""]);
    const again = await http("files/big.bin?expectedVersion=1", { method: "PUT", body: "small" });
    expect([again.status, (await again.json()).version]).toEqual([200, 2]);
    expect(await (await http(`${id}?version=2`)).text()).toBe("small");
    expect((await http(`${id}?version=9`)).status).toBe(404);
  });

  it("refuses by HTTP what is wrong, in words, and leaves the version before as it was", async () => {
    await http("files/kept.txt", { method: "PUT", body: "kept" });
    const wrong: [path: string, init: RequestInit, status: number, code: string][] = [
      ["files/kept.txt?expectedVersion=0", { body: "x" }, 409, "ARTIFACT_CONFLICT"],
      ["files/kept.txt?expectedVersion=7", { body: "x" }, 409, "ARTIFACT_CONFLICT"],
      ["files/kept.txt", { body: "x", headers: { "if-none-match": "*" } }, 409, "ARTIFACT_CONFLICT"],
      ["files/kept.txt", { body: "x", headers: { "x-wheelhouse-sha256": "0".repeat(64) } }, 400, "INVALID_INPUT"],
      ["files/kept.txt", { body: "x", headers: { "x-wheelhouse-sha256": "short" } }, 400, "INVALID_INPUT"],
      ["files/kept.txt", { body: "<html>", headers: { "content-type": "image/png" } }, 400, "INVALID_INPUT"],
      ["files/kept.txt", { body: png, headers: { "content-type": "text/plain" } }, 400, "INVALID_INPUT"],
      ["files/kept.txt", { body: "x", headers: { "content-type": "nonsense" } }, 400, "INVALID_INPUT"],
      ["files/kept.txt?expectedVersion=one", { body: "x" }, 400, "INVALID_INPUT"],
      ["files/kept.txt?sessionId=Session_0", { body: "x" }, 400, "INVALID_ID"],
      ["files/..%2F..%2Fetc%2Fpasswd", { body: "x" }, 400, "INVALID_INPUT"],
      ["%2Fetc%2Fpasswd", { body: "x" }, 400, "INVALID_INPUT"],
      ["files/%00", { body: "x" }, 400, "INVALID_INPUT"],
      ["files/%ff", { body: "x" }, 400, "INVALID_INPUT"],
      ["files/con.txt", { body: "x" }, 400, "INVALID_INPUT"],
      [`files/${"a".repeat(2_000)}`, { body: "x" }, 400, "INVALID_INPUT"],
      ["files/more.bin", { body: new Uint8Array(21 * 1024 ** 2) }, 413, "QUOTA_EXCEEDED"],
    ];
    for (const [path, init, status, code] of wrong) {
      const answer = await http(path, { method: "PUT", ...init });
      expect([path, answer.status, await codeOf(answer)]).toEqual([path, status, code]);
    }
    const reader = await world.makeKey({ reach: "EXACT", scope: { user: "u-1" }, permissions: ["read"] });
    expect((await http("files/kept.txt", { method: "PUT", body: "x" }, reader)).status).toBe(403);
    expect((await http("files/kept.txt", { method: "DELETE" })).status).toBe(405);
    const foreign = { method: "PUT", body: "x", headers: { origin: "https://elsewhere.example" } };
    expect((await http("files/kept.txt", foreign)).status).toBe(403);
    const kept = await http("files/kept.txt");
    expect([kept.headers.get("x-wheelhouse-version"), await kept.text()]).toEqual(["1", "kept"]);
  });

  it("hands nothing to a browser as a page of its own", async () => {
    const page = "<!doctype html><script>alert(1)</script>";
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`;
    const cases = [
      ["page.html", page, /^attachment; /],
      ["drawing.svg", svg, /^attachment; /],
      ["note.txt", page, /^inline; /],
      ["picture.png", png, /^inline; /],
      [`quote"\u00e9;.txt`, "x", /^inline; filename="quote_e_.txt"; filename\*=UTF-8''quote%22%C3%A9%3B.txt$/],
    ] as const;
    for (const [name, body, disposition] of cases) {
      const path = `files/pages/${encodeURIComponent(name)}`;
      // Of bytes, unlike of a text, fetch does not say by itself what they are.
      const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
      expect((await http(path, { method: "PUT", body: bytes })).ok).toBe(true);
      const { headers } = await http(path);
      expect(headers.get("content-disposition")).toMatch(disposition);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    }
    expect((await http("files/pages/note.txt")).headers.get("content-type")).toBe("text/plain; charset=utf-8");
  });

  it("keeps nothing of an upload that breaks off or does not have its length", async () => {
    const { port } = new URL(world.server.url);
    const headers = { authorization: `Bearer ${one}`, "content-length": "1000000" };
    await new Promise<void>((resolve) => {
      const half = request({ port, method: "PUT", path: "/artifacts/files/half.bin", headers });
      half.on("error", () => resolve());
      half.write(new Uint8Array(400_000), () => half.destroy());
    });
    await expect.poll(async () => (await http("files/half.bin")).status).toBe(404);
    expect((await put({ path: "/files/half.bin", text: "whole" })).latestVersion).toBe(1);
  });

  it("says what is wrong with an input, field by field", async () => {
    const wrong: [input: object, path: string][] = [
      [{ path: "../x", text: "x" }, "path"],
      [{ path: "", text: "x" }, "path"],
      [{ path: "/policies/x", kind: "FILE", text: "x" }, "path"],
      [{ path: "a.txt" }, "text"],
      [{ path: "a.txt", text: "x", base64: "eA==" }, "text"],
      [{ path: "a.txt", base64: "%%%" }, "base64"],
      [{ path: "a.txt", text: "x", expectedVersion: -1 }, "expectedVersion"],
      [{ path: "a.png", text: "<html>", contentType: "image/png" }, "contentType"],
    ];
    for (const [input, path] of wrong)
      expect(await put(input)).toMatchObject({ __typename: "Invalid", issues: [{ path }] });
    expect((await put({ path: "zero.txt", text: "" })).bytes).toBe(0);
    expect(await (await http("zero.txt")).text()).toBe("");
    expect(await put({ path: "e\u0301.txt", text: "1" })).toMatchObject({
      path: "/artifacts/\u00e9.txt",
      latestVersion: 1,
    });
    expect(await put({ path: "\u00e9.txt", text: "2" })).toMatchObject({ latestVersion: 2 });
    expect(await put({ path: "\u00c9.txt", text: "1" })).toMatchObject({ latestVersion: 1 });
    const { id } = await put({ path: "bytes.png", base64: Buffer.from(png).toString("base64") });
    const { data, errors } = await world.ask(
      one,
      `{ artifact(id: "${id}") { text contentType diff(from: 1) { added } } }`,
    );
    expect(data.artifact).toBeNull();
    expect(errors?.[0]?.extensions.code).toBe("INVALID_INPUT");
    expect((await ask(`{ artifact(id: "${id}") { text contentType } }`)).artifact).toEqual({
      text: null,
      contentType: "image/png",
    });
  });

  it("deletes with a receipt, and tells the conversation of everything", async () => {
    const created = await ask(`mutation { createSession(input: { agent: "echo" }) { ... on Session { id } } }`);
    const sessionId = created.createSession.id;
    const { id } = await put({ path: "/files/told.txt", text: "told", sessionId });
    const elsewhere = await put({ path: "/files/told.txt", text: "told", sessionId }, sibling);
    expect(elsewhere).toMatchObject({ __typename: "NotFound" });
    const removed = await ask(
      `mutation { deleteArtifact(input: { path: "/files/told.txt", expectedVersion: 1, clientMutationId: "c" }) { __typename
        ... on DeleteArtifactSuccess { deletedId clientMutationId receipt { path versions bytes bodiesDeletedAt } } ${refusal} } }`,
    );
    expect(removed.deleteArtifact).toMatchObject({
      ...{ deletedId: id, clientMutationId: "c", receipt: { path: "/files/told.txt", versions: 1, bytes: 4 } },
    });
    expect(removed.deleteArtifact.receipt.bodiesDeletedAt).not.toBeNull();
    const events = `{ session(id: "${sessionId}") { events(first: 10) { events { type payload } } } }`;
    const told = (await ask(events)).session.events.events;
    expect(told).toMatchObject([
      {
        type: "artifact.published",
        payload: { path: "/files/told.txt", version: 1, bytes: 4, contentType: "text/plain" },
      },
      { type: "artifact.deleted", payload: { path: "/files/told.txt" } },
    ]);
  });

  it("lets people who reach the project write into its scopes, when they are editors", async () => {
    const scope = { project: "default", user: "u-1" };
    const made = await put({ path: "/files/from-above.txt", text: "x", scope }, key);
    expect(made).toMatchObject({ __typename: "Artifact", scope });
    expect(await (await http("files/from-above.txt")).text()).toBe("x");
    const other = { path: "a.txt", text: "x", scope: { project: "other" } };
    expect(await put(other, key)).toMatchObject({ __typename: "Invalid", issues: [{ path: "scope" }] });
    expect(await put({ path: "a.txt", text: "x", scope: { user: "u-2" } })).toMatchObject({ __typename: "Forbidden" });
    const again = await http(`${made.id}?expectedVersion=1`, { method: "PUT", body: "y" }, key);
    expect([again.status, (await again.json()).version]).toEqual([200, 2]);
    expect(await (await http("files/from-above.txt")).text()).toBe("y");
    const unseen = await http(made.id, { method: "PUT", body: "z" }, sibling);
    expect([unseen.status, await codeOf(unseen)]).toEqual([404, "NOT_FOUND"]);
    const operators = await put({ path: "/policies/rules.md", text: "be kind", scope }, key);
    expect(operators).toMatchObject({ kind: "POLICY", visibility: "OPERATOR" });
    expect((await http(operators.id)).status).toBe(404);
    expect((await http(operators.id, {}, key)).status).toBe(200);
  });

  it("has no address of a store to give where bodies are rows", async () => {
    const { id } = await put({ path: "/files/row.txt", text: "x" });
    expect((await ask(`{ artifact(id: "${id}") { presignedUrl } }`)).artifact).toEqual({ presignedUrl: null });
  });

  it("says in its readiness whether bodies can be kept", async () => {
    const { checks } = await (await fetch(`${world.server.url}/readyz`)).json();
    expect(checks.artifacts).toEqual({ ok: true, message: "database" });
  });
});
