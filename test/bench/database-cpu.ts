import { readdirSync, readFileSync } from "node:fs";
import type pg from "pg";

/** The CPU time that a database server has used so far. */
export interface CpuMeter {
  microseconds(): Promise<number | null>;
}

/** A clock tick of /proc/<pid>/stat in microseconds; 100 Hz on every Linux that matters. */
const tickUs = 10_000;

/** Adds up the processes of the PostgreSQL server behind `client`; null numbers when it is on another machine. */
export async function postgresCpuMeter(client: pg.Client): Promise<CpuMeter> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const backend = stat(rows[0]?.pid ?? 0);
  const postmaster = backend?.name.startsWith("postgres") ? backend.parent : null;
  return {
    async microseconds() {
      if (postmaster === null) return null;
      let ticks = stat(postmaster)?.ticksOfTheDead ?? 0;
      for (const entry of readdirSync("/proc")) {
        const process = /^\d+$/.test(entry) ? stat(Number(entry)) : null;
        if (process?.parent === postmaster) ticks += process.ticks;
      }
      return ticks * tickUs;
    },
  };
}

interface ProcessStat {
  name: string;
  parent: number;
  ticks: number;
  /** Of children that have ended. */
  ticksOfTheDead: number;
}

function stat(pid: number): ProcessStat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    // It ended just now, or this is no Linux.
    return null;
  }
  const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
  // After the name come state, ppid, …; utime, stime, cutime and cstime are fields 14 to 17 of the whole line.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (number: number): number => Number(fields[number - 3] ?? 0);
  return { name, parent: field(4), ticks: field(14) + field(15), ticksOfTheDead: field(16) + field(17) };
}
