import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EnvironmentError, parseEnvironment, variableNames } from "../../apps/server/src/environment.ts";
import { localSecret } from "../../apps/server/src/secret.ts";

const example = readFileSync(new URL("../../.env.example", import.meta.url), "utf8");

describe("the environment", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "wheelhouse-environment-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("is described by .env.example, variable by variable, and has fewer than 40", () => {
    const named = [...example.matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name);
    expect(named.sort()).toEqual([...variableNames].sort());
    expect(variableNames.length).toBeLessThan(40);
  });

  it("has a default for everything, and takes an empty variable for an absent one", () => {
    expect(parseEnvironment({ PORT: "" })).toMatchObject({
      DATABASE_URL: "file:.data/wheelhouse.db",
      PORT: 4000,
      WHEELHOUSE_SCOPE_KEYS: ["project"],
    });
  });

  it("names every mistake at once, with an example and without the value", () => {
    const secret = "hunter2-hunter2";
    const wrong = {
      DATABASE_URL: "mysql://localhost",
      PORT: "eighty",
      WHEELHOUSE_SCOPE_KEYS: "user",
      WHEELHOUSE_SECRET: secret,
      LOG_LEVEL: "loud",
    };
    expect(() => parseEnvironment(wrong)).toThrow(EnvironmentError);
    try {
      parseEnvironment(wrong);
    } catch (error) {
      const { problems, message } = error instanceof EnvironmentError ? error : new EnvironmentError([]);
      expect(problems.map(({ name }) => name).sort()).toEqual(Object.keys(wrong).sort());
      expect(problems.every((problem) => problem.example !== "")).toBe(true);
      expect(message).toContain("for example PORT=4000");
      expect(message).not.toContain(secret);
    }
  });

  it("wants a secret that all replicas share when the database is PostgreSQL", () => {
    const onPostgres = { DATABASE_URL: "postgres://localhost/w", WHEELHOUSE_DATA_DIR: folder };
    expect(() => parseEnvironment(onPostgres)).toThrow(/WHEELHOUSE_SECRET/);
  });

  it("takes the one that is kept on this machine, so that commands work beside the server that kept it", async () => {
    await localSecret(folder);
    const settings = parseEnvironment({ DATABASE_URL: "postgres://localhost/w", WHEELHOUSE_DATA_DIR: folder });
    expect(settings.WHEELHOUSE_SECRET).toBeUndefined();
  });
});
