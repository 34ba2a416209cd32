import type { Clock, NewId } from "@wheelhouse/domain";
import type { GroupCommit } from "../group-commit.ts";
import type { PrismaClient } from "../models.ts";
import type { Database, Dialect } from "../sql.ts";
import type { Hint } from "../wake-hub.ts";

/** What every store is given. */
export interface StoreContext {
  db: Database;
  dialect: Dialect;
  models: PrismaClient;
  clock: Clock;
  newId: NewId;
  commits: GroupCommit;
  /** Tells this process, and the others, that something committed. */
  wake: (hint: Hint) => void;
}

/** Losing an insert race means that the winner's row can be read now; more rounds than this mean something else. */
const maxRaces = 5;

/** Runs `attempt` again when it loses an insert race, so that it reads the winner's row. */
export async function untilRaceIsOver<T>(context: StoreContext, attempt: () => Promise<T>): Promise<T> {
  for (let round = 1; ; round++) {
    try {
      return await attempt();
    } catch (error) {
      if (round >= maxRaces || !context.dialect.isUniqueViolation(error)) throw error;
    }
  }
}
