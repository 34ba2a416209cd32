import type { ConfigKind, Scope } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import SqliteHandle from "better-sqlite3";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorld, type World } from "../worlds/open-world.ts";

const teams = 40;
const users = 25;
const names = 100;
const at = "2026-01-01 00:00:00.000";

/** A project's scopes: itself, its teams, and the users of each team, a thousand and some. */
const scopes: Scope[] = [
  { project: "acme" },
  ...Array.from({ length: teams }, (_, t): Scope => ({ project: "acme", team: `t-${t}` })),
  ...Array.from(
    { length: teams * users - teams - 1 },
    (_, u): Scope => ({ project: "acme", team: `t-${u % teams}`, user: `u-${Math.floor(u / teams)}` }),
  ),
];
const kinds: readonly ConfigKind[] = ["TOOL", "SKILL", "PROVIDER"];
/** Half of the definitions are tools; the `n`th has this name. */
const kindOf = (n: number): ConfigKind => kinds[n % 4 < 2 ? 0 : (n % 4) - 1] ?? "TOOL";

const columns = `id, project_id, kind, name, scope, scope_key, scope_depth, definition, revision, digest, source, enabled,
  created_at, updated_at`;

/** 100,000 definitions in one statement. */
function fillStatement(kind: World["kind"], projectId: string): string {
  const rows = JSON.stringify(scopes.map((scope) => [scopeKeyOf(scope), scope, Object.keys(scope).length]));
  const series = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${names - 1})`;
  const kindSql = "CASE i % 4 WHEN 2 THEN 'SKILL' WHEN 3 THEN 'PROVIDER' ELSE 'TOOL' END";
  const [from, key, scope, depth, definition] =
    kind === "postgres"
      ? [
          `jsonb_array_elements('${rows}'::jsonb) AS s(value)`,
          "s.value->>0",
          "s.value->1",
          "(s.value->>2)::int",
          "'{}'::jsonb",
        ]
      : [
          `json_each('${rows}') AS s`,
          ...[
            "json_extract(s.value, '$[0]')",
            "json_extract(s.value, '$[1]')",
            "json_extract(s.value, '$[2]')",
            "'{}'",
          ],
        ];
  const moment = kind === "postgres" ? `timestamp '${at}'` : `'${at.replace(" ", "T")}+00:00'`;
  return `${series} INSERT INTO config_entities (${columns})
    SELECT ${key} || '-' || i, '${projectId}', ${kindSql}, 'name-' || i, ${scope}, ${key}, ${depth}, ${definition}, 1, 'd',
      'API', ${kind === "postgres" ? "true" : "1"}, ${moment}, ${moment} FROM ${from}, n`;
}

/** Asks the database itself. */
interface Direct {
  run(sql: string): Promise<void>;
  /** The plan of a statement, as text. */
  plan(sql: string, params: readonly (string | readonly string[])[]): Promise<string>;
  close(): Promise<void>;
}

async function openDirect(world: World): Promise<Direct> {
  if (world.kind === "postgres") {
    const client = new pg.Client({ connectionString: world.url });
    await client.connect();
    return {
      run: async (sql) => void (await client.query(sql)),
      async plan(sql, params) {
        const types = params.map((param) => (typeof param === "string" ? "text" : "text[]"));
        const values = params.map((param) =>
          typeof param === "string"
            ? client.escapeLiteral(param)
            : `ARRAY[${param.map((one) => client.escapeLiteral(one))}]::text[]`,
        );
        await client.query(`PREPARE asked(${types}) AS ${sql}`);
        const plans: string[] = [];
        // Statements are prepared, so the plan may be one for any parameters.
        for (const mode of ["force_custom_plan", "force_generic_plan"]) {
          await client.query(`SET plan_cache_mode = ${mode}`);
          const { rows } = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN EXECUTE asked(${values})`);
          plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
        }
        await client.query("DEALLOCATE asked");
        return plans.join("\n");
      },
      close: () => client.end(),
    };
  }
  const handle = new SqliteHandle(world.url.replace("file:", ""));
  return {
    run: async (sql) => void handle.exec(sql),
    async plan(sql, params) {
      const values = params.map((param) => (typeof param === "string" ? param : JSON.stringify(param)));
      const named = Object.fromEntries(values.map((value, i) => [i + 1, value]));
      const rows = handle.prepare(`EXPLAIN QUERY PLAN ${sql.replaceAll(/\$(\d+)/g, "?$1")}`).all(named);
      return rows.map((row) => JSON.stringify(row)).join("\n");
    },
    close: async () => void handle.close(),
  };
}

/** How each database says that it reads all of a table. */
const wholeTable = /Seq Scan on config_entities|SCAN e\b/;

describe.each(["sqlite", "postgres"] as const)("100,000 definitions at 1,000 scopes on %s", (kind) => {
  let world: World;
  let direct: Direct;
  beforeAll(async () => {
    world = await openWorld(kind);
    direct = await openDirect(world);
    await direct.run(fillStatement(kind, world.projectId));
    const moment = kind === "postgres" ? `timestamp '${at}'` : `'${at}'`;
    const shapes = ["project", "project,team", "project,team,user"].map(
      (keys) => `('${world.projectId}', '${keys}', ${moment})`,
    );
    await direct.run(`INSERT INTO config_shapes (project_id, keys, created_at) VALUES ${shapes}`);
    await direct.run("ANALYZE");
  }, 120_000);
  afterAll(async () => {
    await direct.close();
    await world[Symbol.asyncDispose]();
  });

  /** What a call sent to the database. */
  async function sentBy(work: () => Promise<unknown>): Promise<string[]> {
    world.statements.length = 0;
    await work();
    return [...world.statements];
  }
  const reads = () => world.storage.config.reads(world.authority());
  const scope: Scope = { project: "acme", team: "t-3", user: "u-7" };
  const parts: Scope[] = [{ project: "acme" }, { project: "acme", team: "t-3" }, scope];
  const keys = parts.map(scopeKeyOf);

  it("are a hundred thousand", async () => {
    expect(scopes).toHaveLength(1000);
    expect(await reads().count({}, 200_000)).toBe(100_000);
  });

  it("resolve to those at the three parts of a scope", async () => {
    const found = await reads().candidates(scope, [{ kind: "TOOL", name: "name-0" }]);
    expect(found.map((one) => Object.keys(one.scope).length).sort()).toEqual([1, 2, 3]);
    expect(await reads().candidates(scope, [{ kind: "SKILL", name: "name-0" }])).toEqual([]);
  });

  it("resolve by one look into an index, also many names at once", async () => {
    const wanted = Array.from({ length: 20 }, (_, n) => ({ kind: kindOf(n), name: `name-${n}` }));
    const sent = await sentBy(async () => expect(await reads().candidates(scope, wanted)).toHaveLength(60));
    expect(sent).toHaveLength(2);
    const byKind = kinds.flatMap((one) => [one, wanted.filter((each) => each.kind === one).map(({ name }) => name)]);
    const plan = await direct.plan(sent[1] ?? "", [world.projectId, keys, ...byKind]);
    expect(plan).not.toMatch(wholeTable);
    // Project, kind, name and scope are all looked up, none is filtered: one descent per definition that is there.
    const lookups = plan.match(
      /Index Cond: .*project_id = .*\bscope_key = ANY .*\bkind = .*\bname = ANY|Index Cond: .*project_id = .*\bkind = .*\bname = ANY .*\bscope_key = ANY|project_id=\? AND kind=\? AND name=\? AND scope_key=\?/g,
    );
    expect(lookups ?? []).toHaveLength(kind === "postgres" ? 2 * kinds.length : kinds.length);
  });

  it("find every provider of a scope by index", async () => {
    const sent = await sentBy(async () =>
      expect(await reads().candidatesOfKind(scope, "PROVIDER")).toHaveLength((3 * names) / 4),
    );
    const plan = await direct.plan(sent[1] ?? "", [world.projectId, keys, "PROVIDER"]);
    expect(plan).not.toMatch(wholeTable);
    expect(plan).toContain("config_entities_project_id_scope_key_kind_name_idx");
  });

  it("are listed by index from any place on", async () => {
    const after = { kind: "SKILL", name: "name-50", scopeKey: "8" } as const;
    const sent = await sentBy(() => reads().list({}, { after, limit: 50 }));
    const plan = await direct.plan((sent[0] ?? "").replace(/LIMIT \$5/, "LIMIT 50"), [
      world.projectId,
      ...Object.values(after),
    ]);
    expect(plan).not.toMatch(wholeTable);
    expect(plan).toContain("config_entities_project_id_kind_name_scope_key_key");
    expect(plan).not.toMatch(/\bSort\b|TEMP B-TREE/);
  });
});
