import type { Authority } from "@wheelhouse/domain";
import type { ConfigChangePage, ConfigDraft, ConfigStore } from "../../configuration.ts";
import { int } from "../rows.ts";
import { noHint } from "../wake-hub.ts";
import { openDraft } from "./config-draft.ts";
import { configReads, reaches } from "./config-reads.ts";
import { changeOf, changeSelect } from "./config-rows.ts";
import type { StoreContext } from "./context.ts";

export function configStore(context: StoreContext): ConfigStore {
  return {
    reads: (authority) => configReads(context, context.db, authority),
    change: (authority, work) => change(context, authority, work),
    changes: (authority, input) => readChanges(context, authority, input),
    async position(projectId) {
      const [row] = await context.db.query(
        "SELECT coalesce(max(position), 0) AS position FROM config_changes WHERE project_id = $1",
        [projectId],
      );
      return row === undefined ? 0 : int(row, "position");
    },
  };
}

async function change<T>(
  context: StoreContext,
  authority: Authority,
  work: (draft: ConfigDraft) => Promise<{ keep: boolean; answer: T }>,
): Promise<T> {
  const done: { last: { answer: T } | null } = { last: null };
  // Thrown to take the transaction back, and known by identity: the work itself may throw anything.
  const notKept = new Error("What was written is not kept");
  try {
    const { answer, changed } = await context.db.transaction(async (tx) => {
      const draft = await openDraft(context, tx, authority);
      const { keep, answer } = await work(draft.port);
      done.last = { answer };
      if (!keep) throw notKept;
      return { answer, changed: draft.changed };
    });
    if (changed) context.wake({ ...noHint, configs: [authority.projectId] });
    return answer;
  } catch (error) {
    if (error === notKept && done.last !== null) return done.last.answer;
    throw error;
  }
}

/** The lock of the project makes positions follow each other as the commits do, so a reader's place is a number. */
async function readChanges(
  { db }: StoreContext,
  authority: Authority,
  { after, limit }: { after: number; limit: number },
): Promise<ConfigChangePage> {
  const rows = await db.query(
    `SELECT ${changeSelect}, m.highest FROM (SELECT coalesce(max(position), 0) AS highest FROM config_changes
       WHERE project_id = $1) m
     LEFT JOIN (SELECT * FROM config_changes WHERE project_id = $1 AND position > $2 ORDER BY position LIMIT $3) c
       ON 1 = 1
     ORDER BY c.position`,
    [authority.projectId, after, limit],
  );
  const [first] = rows;
  const highest = first === undefined ? 0 : int(first, "highest");
  const changes = rows.flatMap((row) => (row.c_id === null ? [] : [changeOf(row)]));
  return {
    changes: changes.filter((one) => reaches(authority, one)),
    scannedTo: changes.at(-1)?.position ?? after,
    caughtUp: changes.length < limit,
    ahead: after > highest,
  };
}
