import type { BenchServer } from "./databases.ts";

/** What every path is given. */
export interface Suite {
  server: BenchServer;
  /** How often every variant is measured. */
  rounds: number;
  /** Shorter and rougher. */
  quick: boolean;
}
