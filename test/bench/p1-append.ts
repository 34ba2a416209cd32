import { join } from "node:path";
import { z } from "zod";
import { advisoryLockTarget, copyRate, plainInsertTarget } from "./append/postgres-baselines.ts";
import { productTarget } from "./append/product.ts";
import type { AppendTarget } from "./append/rows.ts";
import { synchronousNames, transactionPerEventTarget } from "./append/sqlite-baselines.ts";
import type { CpuMeter } from "./database-cpu.ts";
import { type BenchServer, temporaryFolder } from "./databases.ts";
import { closedLoop, interleave, type Measured, median, medianOf, ratioOf, type Variant } from "./measure.ts";
import type { PathReport, Scenario, Verdict } from "./report.ts";
import type { Suite } from "./suite.ts";
import { openWorld } from "./world.ts";

/** Targets for PostgreSQL by number of runs: how many times the baseline's rate. */
const mustByRuns = new Map([
  [50, { must: 8, aim: null }],
  [500, { must: 15, aim: 25 }],
]);

/** P1: how fast runs record events, one outstanding append per run, each acknowledged when it is durable. */
export async function append({ server: open, rounds, quick }: Suite): Promise<PathReport> {
  const server = await open();
  const scenarios: Scenario[] = [];
  for (const runs of [1, 50, 500]) scenarios.push(await onPostgres(server, runs, rounds, quick));
  for (const runs of [1, 50, 500]) scenarios.push(await onSqlite(runs, rounds, quick));
  return { path: "p1", title: "Append events of runs, durable, gapless, with counters and wake-up", scenarios };
}

async function onPostgres(server: BenchServer, runs: number, rounds: number, quick: boolean): Promise<Scenario> {
  const open = async (make: (url: string, runs: number) => Promise<AppendTarget>) =>
    make(await server.makeDatabase(), runs);
  const product = await open(productTarget);
  const advisory = await open(advisoryLockTarget);
  const plain = await open(plainInsertTarget);
  const variant = (name: string, target: AppendTarget) => appending(name, target, { runs, quick, cpu: server.cpu });
  const measured = await interleave(
    [
      variant("product", product),
      variant("advisory lock + MAX+1, a transaction per event", advisory),
      variant("plain INSERT, sequence in memory", plain),
    ],
    rounds,
  );
  for (const target of [product, advisory, plain]) await target[Symbol.asyncDispose]();
  const verdicts = postgresVerdicts(runs, measured);
  if (runs === 500) verdicts.push(await againstCopy(server, measured, rounds));
  return {
    name: `${runs} ${runs === 1 ? "run" : "runs"}, PostgreSQL`,
    operation: "events",
    measured,
    verdicts,
    notes: ["after every round: sequences gapless, rows = acknowledged, the session's summary = its log"],
  };
}

function postgresVerdicts(runs: number, [product, advisory, plain]: readonly Measured[]): Verdict[] {
  if (!product || !advisory || !plain) return [];
  const verdicts: Verdict[] = [
    {
      what: "rate against the baseline",
      value: ratioOf(product, advisory, (sample) => sample.perSecond),
      unit: "×",
      better: "atLeast",
      must: mustByRuns.get(runs)?.must ?? null,
      aim: mustByRuns.get(runs)?.aim ?? null,
    },
    {
      what: "p99 against the baseline's",
      value: ratioOf(product, advisory, (sample) => sample.p99Ms),
      unit: "×",
      better: "atMost",
      must: runs === 1 ? null : 0.2,
      aim: null,
    },
    {
      what: "CPU of Node and database against the baseline's",
      value: ratioOf(product, advisory, (sample) =>
        sample.databaseCpuUs === null ? null : sample.cpuUs + sample.databaseCpuUs,
      ),
      unit: "×",
      better: "atMost",
      must: null,
      aim: null,
    },
  ];
  if (runs === 1)
    verdicts.push({
      what: "p50 against a plain INSERT's",
      value: ratioOf(product, plain, (sample) => sample.p50Ms),
      unit: "×",
      better: "atMost",
      must: null,
      aim: 1.25,
    });
  return verdicts;
}

async function againstCopy(server: BenchServer, [product]: readonly Measured[], rounds: number): Promise<Verdict> {
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const rate = await copyRate(await server.makeDatabase(), 100_000);
    if (rate !== null) rates.push(rate);
  }
  const rate = product ? medianOf(product, (sample) => sample.perSecond) : null;
  return {
    what: `rate against COPY of the same rows from a file (${Math.round(median(rates))} rows/s)`,
    value: rate === null || rates.length === 0 ? null : rate / median(rates),
    unit: "×",
    better: "atLeast",
    must: null,
    aim: 0.5,
  };
}

async function onSqlite(runs: number, rounds: number, quick: boolean): Promise<Scenario> {
  using folder = temporaryFolder();
  const productFile = join(folder.path, "product.db");
  const product = await productTarget(`file:${productFile}`, runs);
  const synchronous = await synchronousOf(productFile);
  const baseline = await transactionPerEventTarget(join(folder.path, "baseline.db"), runs, synchronous);
  const variant = (name: string, target: AppendTarget) => appending(name, target, { runs, quick, cpu: null });
  const measured = await interleave(
    [variant("product", product), variant("MAX+1, a transaction per event", baseline)],
    rounds,
  );
  for (const target of [product, baseline]) await target[Symbol.asyncDispose]();
  const [ours, theirs] = measured;
  if (!ours || !theirs) throw new Error("Nothing was measured");
  return {
    name: `${runs} ${runs === 1 ? "run" : "runs"}, SQLite file, synchronous = ${synchronous}`,
    operation: "events",
    measured,
    verdicts: [
      {
        what: "events per second",
        value: medianOf(ours, (sample) => sample.perSecond),
        unit: "/s",
        better: "atLeast",
        must: runs === 1 ? null : 15_000,
        aim: null,
      },
      {
        what: "rate against the baseline",
        value: ratioOf(ours, theirs, (sample) => sample.perSecond),
        unit: "×",
        better: "atLeast",
        must: null,
        aim: null,
      },
    ],
    notes: [],
  };
}

const Pragma = z.array(z.object({ synchronous: z.coerce.number() }));

/** A second storage says how the first one writes: the setting belongs to the connection and is the same for all. */
async function synchronousOf(file: string): Promise<string> {
  const { storage, models } = await openWorld(`file:${file}`);
  const [row] = Pragma.parse(await models.$queryRaw`PRAGMA synchronous`);
  await storage[Symbol.asyncDispose]();
  return synchronousNames[row?.synchronous ?? 0] ?? "OFF";
}

/** One round of one variant; what it wrote is checked after each. */
function appending(
  name: string,
  target: AppendTarget,
  options: { runs: number; quick: boolean; cpu: CpuMeter | null },
): Variant {
  let acknowledged = 0;
  return {
    name,
    async round() {
      const sample = await closedLoop({
        clients: options.runs,
        ms: options.quick ? 700 : 2_000,
        warmUpMs: options.quick ? 200 : 500,
        database: options.cpu,
        async operation(run) {
          const startedAt = performance.now();
          await target.append(run);
          acknowledged += 1;
          return performance.now() - startedAt;
        },
      });
      await target.verify(acknowledged);
      return sample;
    },
  };
}
