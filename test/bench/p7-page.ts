import { Agent, request } from "node:http";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { type Child, startChild } from "./child.ts";
import type { CpuMeter } from "./database-cpu.ts";
import { closedLoop, interleave, type Measured, ratioOf, type Sample } from "./measure.ts";
import { pageRequest } from "./page/documents.ts";
import { seedConversations } from "./page/seed.ts";
import type { PageTasks, Way } from "./page/server.ts";
import type { PathReport, Scenario, Verdict } from "./report.ts";
import type { Suite } from "./suite.ts";

const ways: readonly Way[] = ["product", "Yoga + Pothos + Prisma", "http + pg, JSON built in SQL"];
const connections = 16;

interface Running {
  way: Way;
  child: Child<PageTasks>;
  port: number;
}

/** P7: a page of fifty conversations, each with its agent, its last run and its last three messages. */
export async function conversationPages({ server: open, rounds, quick }: Suite): Promise<PathReport> {
  const server = await open();
  const url = await server.makeDatabase();
  const sessions = quick ? 2_000 : 10_000;
  const world = await seedConversations(url, sessions);
  await world.storage[Symbol.asyncDispose]();
  const running: Running[] = [];
  try {
    for (const way of ways) {
      const child = await startChild<PageTasks>(new URL("./page/server.ts", import.meta.url));
      running.push({ way, child, ...(await child.call("open", { way, url })) });
    }
    const bytes = await checkEquality(running);
    const [ms, warmUpMs] = quick ? [700, 400] : [3_000, 1_000];
    const overHttp = await interleave(
      running.map((one) => ({ name: one.way, round: () => overHttpRound(one, { ms, warmUpMs, cpu: server.cpu }) })),
      rounds,
    );
    const asFunction = await interleave(
      running.map(({ way, child }) => ({ name: way, round: () => child.call("asFunction", { ms, warmUpMs }) })),
      rounds,
    );
    const notes = [`${sessions} conversations; the three answers are equal, ${Math.round(bytes / 1024)} KB each`];
    return {
      path: "p7",
      title: "A page of fifty conversations with what is nested in them",
      scenarios: [
        scenario(`over HTTP, ${connections} connections`, overHttp, httpVerdicts(overHttp), notes),
        scenario("as a function, four at a time", asFunction, functionVerdicts(asFunction), notes),
      ],
    };
  } finally {
    for (const { child } of running) await child[Symbol.asyncDispose]();
  }
}

const scenario = (name: string, measured: Measured[], verdicts: Verdict[], notes: string[]): Scenario => ({
  name,
  operation: "pages",
  measured,
  verdicts,
  notes,
});

function httpVerdicts([product, plain, raw]: readonly Measured[]): Verdict[] {
  if (!product || !plain || !raw) return [];
  const rate = (other: Measured) => ratioOf(product, other, (sample) => sample.perSecond);
  return [
    { what: "rate against the plain stack", value: rate(plain), unit: "×", better: "atLeast", must: 2, aim: null },
    {
      what: "CPU of the plain stack against ours",
      value: cpu(plain, product),
      unit: "×",
      better: "atLeast",
      must: null,
      aim: null,
    },
    { what: "rate against http + pg", value: rate(raw), unit: "×", better: "atLeast", must: null, aim: 0.95 },
  ];
}

function functionVerdicts([product, plain, raw]: readonly Measured[]): Verdict[] {
  if (!product || !plain || !raw) return [];
  return [
    {
      what: "CPU of the plain stack against ours",
      value: cpu(plain, product),
      unit: "×",
      better: "atLeast",
      must: null,
      aim: null,
    },
    {
      what: "CPU of ours against the SQL's",
      value: cpu(product, raw),
      unit: "×",
      better: "atMost",
      must: null,
      aim: null,
    },
  ];
}

const cpu = (a: Measured, b: Measured): number | null => ratioOf(a, b, (sample) => sample.cpuUs);

const Answer = z.object({ data: z.object({ sessions: z.object({ nodes: z.array(z.unknown()) }) }) });

/** Throws unless all ways answer the same, fifty rows long; answers the length of one answer. */
async function checkEquality(running: readonly Running[]): Promise<number> {
  const bodies = await Promise.all(running.map(({ child }) => child.call("answer", null)));
  const [first, ...others] = bodies.map((body): unknown => JSON.parse(body));
  if (Answer.safeParse(first).data?.data.sessions.nodes.length !== 50)
    throw new Error(`Not a page: ${bodies[0]?.slice(0, 500)}`);
  for (const [index, other] of others.entries()) {
    if (isDeepStrictEqual(first, other)) continue;
    throw new Error(
      `${ways[index + 1]} answers something else:\n${bodies[0]?.slice(0, 600)}\n${bodies[index + 1]?.slice(0, 600)}`,
    );
  }
  return bodies[0]?.length ?? 0;
}

async function overHttpRound(
  { child, port }: Running,
  { ms, warmUpMs, cpu: database }: { ms: number; warmUpMs: number; cpu: CpuMeter },
): Promise<Sample> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const operation = async (): Promise<number> => {
    const startedAt = performance.now();
    await post(port, agent);
    return performance.now() - startedAt;
  };
  const loop = { clients: connections, database, operation };
  await closedLoop({ ...loop, ms: 0, warmUpMs });
  await child.call("begin", null);
  const sample = await closedLoop({ ...loop, ms, warmUpMs: 0 });
  // This process only asks: the CPU that counts is the server's.
  const cpuUs = await child.call("end", { operations: sample.operations });
  agent.destroy();
  return { ...sample, cpuUs };
}

function post(port: number, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      accept: "application/json",
      "content-length": pageRequest.length,
    };
    const sent = request({ port, host: "127.0.0.1", path: "/graphql", method: "POST", agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`HTTP ${response.statusCode}`));
      response.resume();
      response.on("end", resolve);
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(pageRequest);
  });
}
