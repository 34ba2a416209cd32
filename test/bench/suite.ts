import type { BenchServer } from "./databases.ts";

/** What every path is given. */
export interface Suite {
  /** Started when a path first asks for it. */
  server: () => Promise<BenchServer>;
  /** How often every variant is measured. */
  rounds: number;
  /** Shorter and rougher. */
  quick: boolean;
}
