import { type Child, startChild } from "./child.ts";
import type { ServerTasks, Way } from "./fan-out/server.ts";
import type { SubscriberTasks } from "./fan-out/subscribers.ts";
import { interleave, type Measured, ratioOf } from "./measure.ts";
import type { PathReport, Scenario, Verdict } from "./report.ts";
import type { Suite } from "./suite.ts";

const ways: readonly Way[] = ["product", "graphql-ws, an execution per subscriber", "raw ws.send"];

interface Running {
  way: Way;
  server: Child<ServerTasks>;
  port: number;
  controlPort: number;
  sessionIds: string[];
}

/** P2: what it costs to bring an event to its subscribers. The server has a process of its own, and so have they. */
export async function fanOut({ rounds, quick }: Suite): Promise<PathReport> {
  const sockets = quick ? 300 : 1_000;
  const subscribers = await startChild<SubscriberTasks>(new URL("./fan-out/subscribers.ts", import.meta.url));
  const running: Running[] = [];
  try {
    for (const way of ways) {
      const server = await startChild<ServerTasks>(new URL("./fan-out/server.ts", import.meta.url));
      running.push({ way, server, ...(await server.call("open", { way, sessions: sockets })) });
    }
    const idle = await bytesPerIdleSocket(running, subscribers, sockets);
    const own = await flood(running, subscribers, { sockets, sessions: sockets, rounds, quick });
    const broadcast = await flood(running, subscribers, { sockets, sessions: 1, rounds, quick });
    return {
      path: "p2",
      title: "Fan-out to subscribers",
      scenarios: [
        scenario(`${sockets} subscribers, each of a session of its own`, own, verdictsOf(own, 3, 4, 0.7, 0.85)),
        scenario(`${sockets} subscribers of one session`, broadcast, verdictsOf(broadcast, 4, 5.5, null, null)),
        memoryScenario(idle, sockets),
      ],
    };
  } finally {
    for (const { server } of running) await server[Symbol.asyncDispose]();
    await subscribers[Symbol.asyncDispose]();
  }
}

const scenario = (name: string, measured: Measured[], verdicts: Verdict[]): Scenario => ({
  name,
  operation: "deliveries",
  measured,
  verdicts,
  notes: [
    "p50 and p99 are those of a wave: one event per session, until the last subscriber has it; CPU of the server",
  ],
});

function verdictsOf(
  [product, stock, raw]: readonly Measured[],
  must: number,
  aim: number,
  mustOfRaw: number | null,
  aimOfRaw: number | null,
): Verdict[] {
  if (!product || !stock || !raw) return [];
  const rate = (other: Measured) => ratioOf(product, other, (sample) => sample.perSecond);
  const cpu = (other: Measured) => ratioOf(other, product, (sample) => sample.cpuUs);
  return [
    { what: "rate against graphql-ws", value: rate(stock), unit: "×", better: "atLeast", must, aim },
    { what: "CPU of graphql-ws against ours", value: cpu(stock), unit: "×", better: "atLeast", must: null, aim: null },
    {
      what: "rate against raw ws.send",
      value: rate(raw),
      unit: "×",
      better: "atLeast",
      must: mustOfRaw,
      aim: aimOfRaw,
    },
  ];
}

function memoryScenario(idle: Map<Way, number>, sockets: number): Scenario {
  const [product = null] = ways.map((way) => idle.get(way) ?? null);
  const others = [...idle].map(([way, bytes]) => `${way}: ${Math.round(bytes / 102.4) / 10} KB`);
  return {
    name: `${sockets} idle sockets, each with one subscription`,
    operation: "sockets",
    measured: [],
    verdicts: [
      {
        what: "resident memory per socket",
        value: product === null ? null : product / 1024,
        unit: " KB",
        better: "atMost",
        must: 20,
        aim: null,
      },
    ],
    notes: [others.join(" · ")],
  };
}

async function bytesPerIdleSocket(
  running: readonly Running[],
  subscribers: Child<SubscriberTasks>,
  sockets: number,
): Promise<Map<Way, number>> {
  const found = new Map<Way, number>();
  for (const { way, server, sessionIds, ...ports } of running) {
    // Once for the code that is compiled and the buffers that grow with the first connections.
    await subscribers.call("connect", { ...ports, path: "/graphql", sessionIds: sessionIds.slice(0, 100) });
    await subscribers.call("disconnect", null);
    const before = await server.call("memory", null);
    await subscribers.call("connect", { ...ports, path: "/graphql", sessionIds });
    found.set(way, ((await server.call("memory", null)) - before) / sockets);
    await subscribers.call("disconnect", null);
  }
  return found;
}

function flood(
  running: readonly Running[],
  subscribers: Child<SubscriberTasks>,
  options: { sockets: number; sessions: number; rounds: number; quick: boolean },
): Promise<Measured[]> {
  const { sockets, sessions, rounds, quick } = options;
  return interleave(
    running.map(({ way, server, sessionIds, ...ports }) => ({
      name: way,
      async round() {
        const followed = Array.from({ length: sockets }, (_, index) => sessionIds[index % sessions] ?? "");
        await subscribers.call("connect", { ...ports, path: "/graphql", sessionIds: followed });
        const [ms, warmUpMs] = quick ? [700, 200] : [2_000, 500];
        const sample = await server.call("flood", { sessions, deliveriesPerWave: sockets, ms, warmUpMs });
        await subscribers.call("disconnect", null);
        return sample;
      },
    })),
    rounds,
  );
}
