import { deleteArtifact, putArtifact, readArtifactText, sendMessage, upsertConfigEntity } from "@wheelhouse/runtime";
import type { ClaimedRun } from "@wheelhouse/storage";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRunFiles } from "../../packages/runtime/src/run-files.ts";
import { expectSound, type FlowWorld, logOf, openFlowWorld, runToEnd, storageKinds } from "./flow-world.ts";

const asked = (name: string, args: unknown) => JSON.stringify([{ name, args }]);
const report = "/artifacts/report.md";

describe.each(storageKinds)("files of agents on %s", { timeout: 60_000 }, (kind) => {
  let world: FlowWorld;
  beforeAll(async () => {
    world = await openFlowWorld(kind);
    world.work();
    const definition = {
      kind: "deep",
      model: { provider: "scripted", model: "calls" },
      memory: ["/memories/AGENTS.md"],
    };
    const input = { kind: "AGENT" as const, name: "archivist", definition };
    expect((await upsertConfigEntity(world.deps, world.as({ role: "EDITOR" }), input)).outcome).toBe("saved");
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const editor = () => world.as({ role: "EDITOR" });
  const textAt = (path: string, as = world.authority) => readArtifactText(world.deps, as, { path, maxBytes: 10_000 });
  /** A conversation of its own in which the agent makes one call; what it said of it in the end. */
  async function ask(name: string, args: unknown, as = world.authority) {
    const { run, session } = await sendMessage(world.deps, as, { agent: "archivist", content: asked(name, args) });
    const events = await runToEnd(world, run.id, as);
    expect(events.at(-1)?.type).toBe("run.succeeded");
    const messages = await world.rows.message.findMany({ where: { sessionId: session.id }, orderBy: { seq: "asc" } });
    return { answer: messages.at(-1)?.content ?? "", run, session };
  }

  it("are found by another conversation of the scope, told in the log, and kept in versions", async () => {
    const written = await ask("write_file", { file_path: report, content: "# Report\n\nŻółw 🐢" });
    expect(written.answer).toBe(`Answer: Successfully wrote to '${report}'`);
    const { id: runId, taskId } = written.run;
    const published = (await logOf(world, written.session.id)).filter(({ type }) => type === "artifact.published");
    expect(published).toMatchObject([{ runId, taskId, payload: { path: report, version: 1 } }]);
    await expectSound(world, written.session.id);
    const read = await ask("read_file", { file_path: report });
    expect(read.session.id).not.toBe(written.session.id);
    expect(read.answer).toContain("Żółw 🐢");
    await ask("edit_file", { file_path: report, old_string: "Żółw", new_string: "Turtle" });
    expect(await textAt(report)).toBe("# Report\n\nTurtle 🐢");
    const artifact = await world.rows.artifact.findFirstOrThrow({ where: { path: report } });
    expect(artifact).toMatchObject({ kind: "ARTIFACT", latestVersion: 2, source: "run" });
    expect((await ask("ls", { path: "/artifacts" })).answer).toContain(report);
  });

  it("are not found by a scope beside it, which may have its own at the same path", async () => {
    const sibling = world.as({ reach: "EXACT", scope: { project: "flow", user: "bo" } });
    expect((await ask("read_file", { file_path: report }, sibling)).answer).toContain("not found");
    expect((await ask("ls", { path: "/artifacts" }, sibling)).answer).not.toContain("report.md");
    expect((await ask("grep", { pattern: "Turtle" }, sibling)).answer).toContain("No matches");
    await ask("write_file", { file_path: report, content: "Bo's" }, sibling);
    expect(await textAt(report, sibling)).toBe("Bo's");
    expect(await textAt(report)).toContain("Turtle");
  });

  it("are the conversation's own outside of the routes", async () => {
    await ask("write_file", { file_path: "/notes.md", content: "mine" });
    expect((await ask("read_file", { file_path: "/notes.md" })).answer).toContain("not found");
    expect(await world.rows.artifact.count({ where: { name: "notes.md" } })).toBe(0);
    const lost = await ask("write_file", { file_path: "artifacts/notes.md", content: "where?" });
    expect(lost.answer).toContain("must begin with one /");
  });

  it("are policies that people write and agents only read", async () => {
    const path = "/policies/tone.md";
    await putArtifact(world.deps, editor(), { path, text: "Be kind." });
    expect((await ask("read_file", { file_path: path })).answer).toContain("Be kind.");
    expect((await ask("write_file", { file_path: path, content: "Be rude." })).answer).toContain("not changed");
    expect((await ask("delete", { file_path: path })).answer).toContain("not deleted");
    expect(await textAt(path)).toBe("Be kind.");
  });

  it("are deleted by agents with all their versions", async () => {
    await ask("write_file", { file_path: "/scratch/a/one.txt", content: "1" });
    await ask("write_file", { file_path: "/scratch/a/two.txt", content: "2" });
    expect((await ask("delete", { file_path: "/scratch/a" })).answer).toBe("Answer: Deleted /scratch/a");
    expect(await world.rows.artifact.count({ where: { kind: "SCRATCH" } })).toBe(0);
  });

  it("are read as memory when a run begins, whoever wrote them", async () => {
    const path = "/memories/AGENTS.md";
    await putArtifact(world.deps, editor(), { path, text: "The office closes at five." });
    const { run } = await ask("ls", { path: "/memories" });
    const steps = await world.rows.step.findMany({ where: { runId: run.id, kind: "MODEL" } });
    expect(JSON.stringify(steps.map(({ prompt, inputs }) => [prompt, inputs]))).toContain("closes at five");
    await deleteArtifact(world.deps, editor(), { path });
  });

  it("are not changed by a worker that lost its run", async () => {
    const path = "/files/fenced.txt";
    await ask("write_file", { file_path: path, content: "before" });
    const late = await ask("read_file", { file_path: path });
    // What a worker held that does not know yet that its run is over.
    const fence = { runId: late.run.id, sessionId: late.session.id, generation: 1, owner: "late" };
    const held: ClaimedRun = { ...late, fence, recovered: false, head: { at: null }, resume: null };
    const files = openRunFiles(world.deps, held, new AbortController().signal);
    const bytes = new TextEncoder().encode("after");
    await expect(files.write(path, bytes, 1)).rejects.toMatchObject({ code: "LEASE_LOST" });
    await expect(files.write("/files/new.txt", bytes, 0)).rejects.toMatchObject({ code: "LEASE_LOST" });
    await expect(files.delete(path, 1)).rejects.toMatchObject({ code: "LEASE_LOST" });
    expect(await textAt("/files/new.txt").catch(({ code }) => code)).toBe("NOT_FOUND");
    expect(await textAt(path)).toBe("before");
  });
});
