import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deliveryAttempts, deliveryRestsMs } from "@wheelhouse/domain";
import { newSigningSecret, signatureHeaders } from "@wheelhouse/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

type ReadWebhook = (secret: string, headers: Headers, body: string) => unknown;

/** What docs/webhooks.md tells receivers to write, executed as it stands there. */
describe("the guide for receivers", () => {
  let folder: string;
  let guide: string;
  let readWebhook: ReadWebhook;
  beforeAll(async () => {
    guide = await readFile(new URL("../../docs/webhooks.md", import.meta.url), "utf8");
    const source = /^```ts\n(.*?)^```/ms.exec(guide)?.[1] ?? "";
    folder = await mkdtemp(join(tmpdir(), "wheelhouse-guide-"));
    const file = join(folder, "receiver.ts");
    await writeFile(file, source);
    const example = (await import(pathToFileURL(file).href)) as { readWebhook: ReadWebhook };
    readWebhook = example.readWebhook;
  });
  afterAll(() => rm(folder, { recursive: true }));

  const body = '{"type":"task.completed"}';
  const sign = (secrets: string[], at = new Date()) =>
    new Headers(signatureHeaders({ id: "0190aaaa-0000-7000-8000-000000000001", at, body }, secrets));

  it("takes what was signed with its secret, alone or beside another", () => {
    const secret = newSigningSecret();
    expect(readWebhook(secret, sign([secret]), body)).toEqual({ type: "task.completed" });
    expect(readWebhook(secret, sign([newSigningSecret(), secret]), body)).toEqual({ type: "task.completed" });
  });

  it("refuses other secrets, changed bodies, old messages and missing headers", () => {
    const secret = newSigningSecret();
    expect(() => readWebhook(secret, sign([newSigningSecret()]), body)).toThrow(/not signed/);
    expect(() => readWebhook(secret, sign([secret]), `${body} `)).toThrow(/not signed/);
    expect(() => readWebhook(secret, sign([secret], new Date(Date.now() - 301_000)), body)).toThrow(/too old/);
    expect(() => readWebhook(secret, new Headers(), body)).toThrow(/too old/);
    const unsigned = sign([secret]);
    unsigned.delete("webhook-signature");
    expect(() => readWebhook(secret, unsigned, body)).toThrow(/not signed/);
  });

  it("is told the rests that there are", () => {
    const rests = /^\| after a rest of \| none \| (.*) \|$/m.exec(guide)?.[1]?.split(" | ") ?? [];
    const units: Record<string, number> = { s: 1_000, min: 60_000, h: 3_600_000 };
    expect(rests.map((rest) => Number(rest.split(" ")[0]) * (units[rest.split(" ")[1] ?? ""] ?? 0))).toEqual([
      ...deliveryRestsMs,
    ]);
    expect(guide).toContain(`| attempt | ${Array.from({ length: deliveryAttempts }, (_, i) => i + 1).join(" | ")} |`);
  });
});
