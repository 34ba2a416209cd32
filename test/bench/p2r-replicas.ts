import { type Child, startChild } from "./child.ts";
import { interleave, type Measured, medianOf, startStopwatch } from "./measure.ts";
import { openReaders, type Readers } from "./replicas/readers.ts";
import type { Acknowledged, Way, WriterTasks } from "./replicas/writer.ts";
import type { PathReport, Scenario, Verdict } from "./report.ts";
import type { Suite } from "./suite.ts";

const ways: readonly Way[] = ["product", "NOTIFY per event", "50 ms polling"];
const sessions = 100;
/** Far from what any of the ways can do, and what the product is to bear. */
const [calmPerSecond, fullPerSecond] = [500, 10_000];
/** Time for what was committed last to arrive, and for what may never arrive, milliseconds. */
const [patienceMs, briefPatienceMs] = [5_000, 150];

interface Running {
  way: Way;
  writer: Child<WriterTasks>;
  readers: Readers;
}

/** P2r: from the commit in one process to a subscriber's reader in another, over one PostgreSQL. */
export async function acrossReplicas(suite: Suite): Promise<PathReport> {
  const server = await suite.server();
  const running: Running[] = [];
  try {
    for (const way of ways) {
      const url = await server.makeDatabase();
      const writer = await startChild<WriterTasks>(new URL("./replicas/writer.ts", import.meta.url));
      const { sessionIds } = await writer.call("open", { url, way, sessions });
      running.push({ way, writer, readers: await openReaders(way, url, sessionIds) });
    }
    const calm = await flow(suite, running, calmPerSecond);
    const full = await flow(suite, running, fullPerSecond);
    return {
      path: "p2r",
      title: "From a commit to a reader in another process",
      scenarios: [scenario(calmPerSecond, calm, []), scenario(fullPerSecond, full, verdictsOf(full))],
    };
  } finally {
    for (const { writer, readers } of running) {
      await readers[Symbol.asyncDispose]();
      await writer[Symbol.asyncDispose]();
    }
  }
}

async function flow(suite: Suite, running: readonly Running[], perSecond: number): Promise<Measured[]> {
  const { cpu } = await suite.server();
  return interleave(
    running.map(({ way, writer, readers }) => ({
      name: way,
      async round() {
        await writer.call("write", { perSecond: perSecond / 10, ms: 200 });
        const stopwatch = await startStopwatch(cpu);
        const acknowledged = await writer.call("write", { perSecond, ms: suite.quick ? 700 : 2_000 });
        const waits = await latenciesOf(readers, acknowledged, way === "50 ms polling");
        for (const ms of waits) stopwatch.took(ms);
        return stopwatch.stop(acknowledged.length);
      },
    })),
    suite.rounds,
  );
}

const scenario = (perSecond: number, measured: Measured[], verdicts: Verdict[]): Scenario => ({
  name: `${perSecond} events/s wanted, ${sessions} sessions, each with a reader`,
  operation: "events",
  measured,
  verdicts,
  notes: [
    "p50 and p99: from the acknowledged commit to the reader; CPU of the reading process",
    "the polling one leaves out events whose transaction committed behind a later id",
  ],
});

/** How long each event took, milliseconds. Every one must arrive, unless the way may miss some. */
async function latenciesOf(
  readers: Readers,
  acknowledged: readonly Acknowledged[],
  mayMiss: boolean,
): Promise<number[]> {
  const { arrivals } = readers;
  const isThere = ({ session, sequence }: Acknowledged) => arrivals.has(`${session}:${sequence}`);
  const until = performance.now() + (mayMiss ? briefPatienceMs : patienceMs);
  while (!acknowledged.every(isThere) && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const found = acknowledged.filter(isThere);
  if (!mayMiss && found.length < acknowledged.length)
    throw new Error(`${acknowledged.length - found.length} of ${acknowledged.length} events did not arrive`);
  return found.map(({ session, sequence, at }) => {
    const ns = (arrivals.get(`${session}:${sequence}`) ?? at) - at;
    // A reader may see it before the writer has read the acknowledgement.
    return Math.max(0, Number(ns) / 1e6);
  });
}

function verdictsOf([product]: readonly Measured[]): Verdict[] {
  const of = (number: (sample: Measured["samples"][number]) => number | null) =>
    product === undefined ? null : medianOf(product, number);
  return [
    { what: "commit to reader, p50", value: of((s) => s.p50Ms), unit: " ms", better: "atMost", must: 10, aim: 3 },
    { what: "commit to reader, p99", value: of((s) => s.p99Ms), unit: " ms", better: "atMost", must: 50, aim: 10 },
  ];
}
