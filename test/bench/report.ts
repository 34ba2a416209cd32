import { cpus, loadavg, totalmem } from "node:os";
import { type Measured, medianOf } from "./measure.ts";

/** A number that the product is held to. */
export interface Verdict {
  /** What is compared with what. */
  what: string;
  value: number | null;
  unit: string;
  /** `atLeast` or `atMost`: what the product must reach, and what it aims at. */
  better: "atLeast" | "atMost";
  must: number | null;
  aim: number | null;
}

/** What was measured under one set of circumstances. */
export interface Scenario {
  name: string;
  /** What one operation is, in the singular. */
  operation: string;
  measured: Measured[];
  verdicts: Verdict[];
  notes: string[];
}

export interface PathReport {
  path: string;
  title: string;
  scenarios: Scenario[];
}

export interface Machine {
  node: string;
  cpu: string;
  cores: number;
  memoryGb: number;
  loadBefore: number;
  loadAfter: number;
  postgres: string | null;
}

export const machineNow = (): Pick<Machine, "node" | "cpu" | "cores" | "memoryGb"> => ({
  node: process.version,
  cpu: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
});

/** The load of the last minute: processes that want a core. */
export const load = (): number => loadavg()[0] ?? 0;

/** The report as tables for people. */
export function tables(reports: readonly PathReport[], machine: Machine): string {
  const lines = [
    `Node ${machine.node}, ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB` +
      `${machine.postgres === null ? "" : `, ${machine.postgres}`}; load ${fixed(machine.loadBefore)} before, ${fixed(machine.loadAfter)} after`,
  ];
  for (const { path, title, scenarios } of reports) {
    lines.push("", `## ${path.toUpperCase()} ${title}`);
    for (const scenario of scenarios) lines.push(...scenarioLines(scenario));
  }
  return lines.join("\n");
}

function scenarioLines({ name, operation, measured, verdicts, notes }: Scenario): string[] {
  const rows = measured.map((each) => [
    each.variant,
    fixed(medianOf(each, (sample) => sample.perSecond)),
    fixed(medianOf(each, (sample) => sample.p50Ms)),
    fixed(medianOf(each, (sample) => sample.p99Ms)),
    fixed(medianOf(each, (sample) => sample.cpuUs)),
    fixed(medianOf(each, (sample) => sample.databaseCpuUs)),
  ]);
  const judged = verdicts.map(({ what, value, unit, better, must, aim }) => {
    const sign = better === "atLeast" ? "≥" : "≤";
    const target = (number: number | null): string => (number === null ? "–" : `${sign} ${fixed(number)}${unit}`);
    return [
      what,
      value === null ? "–" : `${fixed(value)}${unit}`,
      target(must),
      target(aim),
      verdictOf(value, better, must, aim),
    ];
  });
  return [
    "",
    `### ${name}`,
    "",
    ...(rows.length > 0
      ? [...table([["variant", `${operation}/s`, "p50 ms", "p99 ms", "CPU µs", "database CPU µs"], ...rows]), ""]
      : []),
    ...(judged.length > 0 ? table([["compared", "measured", "must", "aim", ""], ...judged]) : []),
    ...notes.map((note) => `- ${note}`),
  ];
}

function verdictOf(value: number | null, better: Verdict["better"], must: number | null, aim: number | null): string {
  if (value === null) return "not measured";
  const reaches = (target: number | null): boolean =>
    target !== null && (better === "atLeast" ? value >= target : value <= target);
  if (reaches(aim)) return "aim reached";
  if (must === null) return aim === null ? "" : "below the aim";
  return reaches(must) ? "reached" : "NOT REACHED";
}

function table(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => [...(row[column] ?? "")].length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - [...cell].length)).join(" | ")} |`;
  const [head = [], ...body] = rows;
  return [line(head), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...body.map(line)];
}

/** Three digits that matter, thousands separated; – when there is no number. */
export function fixed(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en", { maximumFractionDigits: Math.min(digits, 4), useGrouping: value >= 10_000 });
}
