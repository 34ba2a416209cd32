import { join } from "node:path";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import Sqlite from "better-sqlite3";
import pg from "pg";
import { z } from "zod";
import type { CpuMeter } from "./database-cpu.ts";
import { temporaryFolder } from "./databases.ts";
import { closedLoop, interleave, type Measured, median, medianOf, ratioOf, type Variant } from "./measure.ts";
import type { PathReport, Scenario, Verdict } from "./report.ts";
import { openProductRuns, type ProductRuns } from "./run/product.ts";
import { runBare, streamReliably, writerGraph } from "./run/writer-graph.ts";
import type { Suite } from "./suite.ts";
import { newId } from "./world.ts";

interface Setting {
  database: string;
  product: ProductRuns;
  /** LangGraph alone, with the same saver as the product's. */
  saved: () => Promise<number>;
  cpu: CpuMeter | null;
}

/** P8: from the request to the first phrase at a subscriber, and runs per second, beside LangGraph alone. */
export async function startRuns(suite: Suite): Promise<PathReport> {
  streamReliably();
  const scenarios: Scenario[] = [];
  using folder = temporaryFolder();
  const workspaceDir = folder.path;

  const file = join(folder.path, "bench.db");
  const saver = new Sqlite(join(folder.path, "bare.db"));
  saver.pragma("journal_mode = WAL");
  saver.pragma("synchronous = NORMAL");
  const onFile = writerGraph(new SqliteSaver(saver));
  const persistence = { kind: "sqlite" as const, file: join(folder.path, "graphs.db") };
  await using sqlite = await openProductRuns({ url: `file:${file}`, persistence, workspaceDir });
  const saved = () => runBare(onFile, newId());
  for (const clients of [1, 20])
    scenarios.push(await scenario(suite, clients, { database: "SQLite", product: sqlite, saved, cpu: null }));
  saver.close();

  const server = await suite.server();
  const url = await server.makeDatabase();
  const pool = new pg.Pool({ connectionString: await server.makeDatabase(), max: 8 });
  const postgresSaver = new PostgresSaver(pool, undefined, { schema: "langgraph" });
  await postgresSaver.setup();
  const onServer = writerGraph(postgresSaver);
  const stored = { kind: "postgres" as const, url, schema: "langgraph" };
  await using postgres = await openProductRuns({ url, persistence: stored, workspaceDir });
  const savedOnServer = () => runBare(onServer, newId());
  for (const clients of [1, 20])
    scenarios.push(
      await scenario(suite, clients, {
        database: "PostgreSQL",
        product: postgres,
        saved: savedOnServer,
        cpu: server.cpu,
      }),
    );
  scenarios.push(await startDelay(postgres, savedOnServer, suite.quick ? 15 : 40));
  await pool.end();
  return { path: "p8", title: "Start a run and stream its answer (a model without latency, 30 pieces)", scenarios };
}

async function scenario(suite: Suite, clients: number, setting: Setting): Promise<Scenario> {
  const bare = writerGraph();
  const variant = (name: string, run: () => Promise<number>): Variant => ({
    name,
    round: () =>
      closedLoop({
        clients,
        ms: suite.quick ? 700 : 2_000,
        warmUpMs: suite.quick ? 300 : 700,
        database: setting.cpu,
        operation: run,
      }),
  });
  const measured = await interleave(
    [
      variant("product, submit to the end at a subscriber", setting.product.run),
      variant("graph.stream, nothing kept", () => runBare(bare, newId())),
      variant("graph.stream with the same saver", setting.saved),
    ],
    suite.rounds,
  );
  return {
    name: `${clients} ${clients === 1 ? "client" : "clients"}, ${setting.database}`,
    operation: "runs",
    measured,
    verdicts: clients === 1 ? firstPhrase(measured) : throughput(measured),
    notes: ["p50 and p99: from the request to the first phrase"],
  };
}

function firstPhrase([product, bare]: readonly Measured[]): Verdict[] {
  const ours = product ? medianOf(product, (sample) => sample.p50Ms) : null;
  const theirs = bare ? medianOf(bare, (sample) => sample.p50Ms) : null;
  return [
    {
      what: "first phrase later than LangGraph alone, p50",
      value: ours === null || theirs === null ? null : ours - theirs,
      unit: " ms",
      better: "atMost",
      must: 3,
      aim: 1,
    },
  ];
}

function throughput([product, bare, saved]: readonly Measured[]): Verdict[] {
  if (!product || !bare || !saved) return [];
  const rate = (other: Measured) => ratioOf(product, other, (sample) => sample.perSecond);
  return [
    { what: "runs/s against LangGraph alone", value: rate(bare), unit: "×", better: "atLeast", must: 0.7, aim: 0.93 },
    {
      what: "runs/s against LangGraph with the same saver",
      value: rate(saved),
      unit: "×",
      better: "atLeast",
      must: null,
      aim: null,
    },
  ];
}

const Delays = z.array(z.object({ ms: z.coerce.number() }));

/** One run after the other, so that none waits for another one's, in turn with the plain graph. */
async function startDelay(
  { world, run, untilStarted }: ProductRuns,
  plain: () => Promise<number>,
  runs: number,
): Promise<Scenario> {
  await run();
  const started: number[] = [];
  const bare: number[] = [];
  for (let count = 0; count < runs; count += 1) {
    started.push(await untilStarted());
    bare.push(await plain());
  }
  const delays = Delays.parse(
    await world.models.$queryRaw`SELECT extract(epoch FROM started_at - queued_at) * 1000 AS ms
      FROM runs ORDER BY queued_at DESC LIMIT ${runs}`,
  );
  const verdict = (what: string, values: readonly number[], must: number): Verdict => ({
    ...{ what, value: median(values), unit: " ms" },
    ...{ better: "atMost", must, aim: null },
  });
  return {
    name: `from queued to started, PostgreSQL, ${runs} runs one after the other`,
    operation: "runs",
    measured: [],
    verdicts: [
      verdict(
        "queued to started, median",
        delays.map(({ ms }) => ms),
        20,
      ),
      verdict("request to run.started at a subscriber, median", started, 30),
    ],
    notes: [`in the same minutes, graph.stream with the same saver to its first piece: ${median(bare).toFixed(1)} ms`],
  };
}
