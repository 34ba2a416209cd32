// npm run bench -- [p1 p2 p2r p7 p8] [--quick] [--json <file>]: the hot paths beside their baselines. See README.md.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { endAll, endOnSignals } from "../../scripts/child-processes.mjs";
import { type BenchServer, openBenchServer } from "./databases.ts";
import { append } from "./p1-append.ts";
import { fanOut } from "./p2-fan-out.ts";
import { acrossReplicas } from "./p2r-replicas.ts";
import { conversationPages } from "./p7-page.ts";
import { startRuns } from "./p8-run.ts";
import { load, type Machine, machineNow, type PathReport, tables } from "./report.ts";
import type { Suite } from "./suite.ts";

const paths: Record<string, (suite: Suite) => Promise<PathReport>> = {
  p1: append,
  p2: fanOut,
  p2r: acrossReplicas,
  p7: conversationPages,
  p8: startRuns,
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: "boolean", default: false }, json: { type: "string" } },
  });
  const quick = values.quick === true;
  const unknown = positionals.filter((name) => !(name in paths));
  if (unknown.length > 0)
    throw new Error(`There is no path ${unknown.join(", ")}; choose from ${Object.keys(paths).join(", ")}`);
  const chosen = positionals.length > 0 ? positionals : Object.keys(paths);

  let opening: Promise<BenchServer> | undefined;
  const server = (): Promise<BenchServer> => {
    opening ??= openBenchServer();
    return opening;
  };
  const loadBefore = load();
  const reports: PathReport[] = [];
  try {
    for (const name of chosen) {
      console.error(`${name} …`);
      const path = paths[name];
      if (path) reports.push(await path({ server, rounds: quick ? 2 : 5, quick }));
    }
  } finally {
    await (await opening)?.close();
  }
  const postgres = (await opening)?.description ?? null;
  const machine: Machine = { ...machineNow(), loadBefore, loadAfter: load(), postgres };
  console.log(tables(reports, machine));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ machine, reports }, null, 2)}\n`);
}

endOnSignals();
try {
  await main();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await endAll();
}
