// npm run bench -- [p1 p2 p7 p8] [--quick] [--json <file>]: the hot paths beside their baselines. See README.md.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { endAll, endOnSignals } from "../../scripts/child-processes.mjs";
import { openBenchServer } from "./databases.ts";
import { append } from "./p1-append.ts";
import { fanOut } from "./p2-fan-out.ts";
import { load, type Machine, machineNow, type PathReport, tables } from "./report.ts";
import type { Suite } from "./suite.ts";

const paths: Record<string, (suite: Suite) => Promise<PathReport>> = { p1: append, p2: fanOut };

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

  const server = await openBenchServer();
  const loadBefore = load();
  const reports: PathReport[] = [];
  try {
    const suite: Suite = { server, rounds: quick ? 2 : 5, quick };
    for (const name of chosen) {
      const path = paths[name];
      console.error(`${name} …`);
      if (path) reports.push(await path(suite));
    }
  } finally {
    await server.close();
  }
  const machine: Machine = { ...machineNow(), loadBefore, loadAfter: load(), postgres: server.description };
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
