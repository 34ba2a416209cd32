import { performance } from "node:perf_hooks";
import type { CpuMeter } from "./database-cpu.ts";

/** What one variant did in one round. Times in milliseconds, CPU in microseconds per operation. */
export interface Sample {
  operations: number;
  perSecond: number;
  p50Ms: number | null;
  p99Ms: number | null;
  /** Of the Node process that does the work. */
  cpuUs: number;
  /** Of the database server's processes; null when they cannot be seen. */
  databaseCpuUs: number | null;
}

/** One way of doing the same thing. */
export interface Variant {
  name: string;
  /** Warms up, measures once, and checks that what was done is right. */
  round(): Promise<Sample>;
}

export interface Measured {
  variant: string;
  samples: Sample[];
}

/** Runs the variants in turn, round after round (A B A B …), so that a busy machine is busy for all of them. */
export async function interleave(variants: readonly Variant[], rounds: number): Promise<Measured[]> {
  const measured = variants.map(({ name }): Measured => ({ variant: name, samples: [] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, variant] of variants.entries()) measured[index]?.samples.push(await variant.round());
  }
  return measured;
}

/** Counts what happens between its start and its end. */
export interface Stopwatch {
  /** Notes how long one operation took. */
  took(ms: number): void;
  stop(operations: number): Promise<Sample>;
}

export async function startStopwatch(database: CpuMeter | null): Promise<Stopwatch> {
  const latencies: number[] = [];
  const databaseBefore = await database?.microseconds();
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  return {
    took(ms) {
      latencies.push(ms);
    },
    async stop(operations) {
      const seconds = (performance.now() - startedAt) / 1000;
      const { user, system } = process.cpuUsage(cpuBefore);
      const databaseAfter = await database?.microseconds();
      return {
        operations,
        perSecond: operations / seconds,
        p50Ms: quantile(latencies, 0.5),
        p99Ms: quantile(latencies, 0.99),
        cpuUs: (user + system) / operations,
        databaseCpuUs:
          databaseAfter == null || databaseBefore == null ? null : (databaseAfter - databaseBefore) / operations,
      };
    },
  };
}

/** Keeps `clients` operations in flight, one per client, for `ms`; a client goes on as soon as its last one ended. */
export async function closedLoop(options: {
  clients: number;
  ms: number;
  warmUpMs: number;
  database: CpuMeter | null;
  /** Does it once, and answers the milliseconds that count. */
  operation: (client: number) => Promise<number>;
}): Promise<Sample> {
  const phase = async (ms: number, took: (ms: number) => void): Promise<number> => {
    let operations = 0;
    const until = performance.now() + ms;
    const client = async (index: number): Promise<void> => {
      while (performance.now() < until) {
        took(await options.operation(index));
        operations += 1;
      }
    };
    await Promise.all(Array.from({ length: options.clients }, (_, index) => client(index)));
    return operations;
  };
  await phase(options.warmUpMs, () => undefined);
  const stopwatch = await startStopwatch(options.database);
  return stopwatch.stop(await phase(options.ms, stopwatch.took));
}

/** The value below which the share `q` of the values lies; null when there are none. */
export function quantile(values: readonly number[], q: number): number | null {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? null;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5) ?? Number.NaN;

/** The median over the rounds of one number of a variant; null when a round did not have it. */
export function medianOf(measured: Measured, number: (sample: Sample) => number | null): number | null {
  const values = measured.samples.map(number).filter((value) => value !== null);
  return values.length === measured.samples.length && values.length > 0 ? median(values) : null;
}

/** The median over the rounds of how a number of `a` stands to that of `b` in the same round. */
export function ratioOf(a: Measured, b: Measured, number: (sample: Sample) => number | null): number | null {
  const ratios = a.samples.map((sample, round) => {
    const other = b.samples[round];
    const [over, under] = [number(sample), other === undefined ? null : number(other)];
    return over === null || under === null || under === 0 ? null : over / under;
  });
  const known = ratios.filter((ratio) => ratio !== null);
  return known.length > 0 ? median(known) : null;
}
