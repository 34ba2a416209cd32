import type { SchemaState } from "../installation.ts";

/** Whether this process can do its work, and what is missing. */
export interface Health {
  ready: boolean;
  checks: Record<string, { ok: boolean; message?: string }>;
}

/** What is wrong with a schema, with the command that helps; null when nothing is. */
export function schemaProblem(state: SchemaState): string | null {
  switch (state.state) {
    case "upToDate":
      return null;
    case "behind":
      return `${state.pending.length} migrations are pending; run: npx wheelhouse migrate deploy`;
    case "failed":
      return `the migration ${state.migration} failed; see: npx wheelhouse migrate status`;
    case "ahead":
      return `the database was migrated by a newer version (${state.unknown.join(", ")}); run that version`;
  }
}

/** Longest that a health check waits for the database, milliseconds. */
const pingTimeoutMs = 2_000;

/** Asks the database whether it is there. */
export async function pingDatabase(ping: () => Promise<void>): Promise<{ ok: boolean; message?: string }> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("late")), pingTimeoutMs);
  });
  try {
    await Promise.race([ping(), late]);
    return { ok: true };
  } catch {
    // Why it is away stands in the log; health answers are public.
    return { ok: false, message: "the database does not answer" };
  } finally {
    clearTimeout(timer);
  }
}
