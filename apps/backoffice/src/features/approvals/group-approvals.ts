import type { ApprovalRow } from "./approvals-documents.ts";

/** What one run asks: its requests are answered together. */
export interface ApprovalGroup {
  runId: string;
  session: ApprovalRow["session"];
  rows: ApprovalRow[];
}

/** The requests by run, in the order in which each run first appears. */
export function groupApprovals(rows: readonly ApprovalRow[]): ApprovalGroup[] {
  const groups = new Map<string, ApprovalGroup>();
  for (const row of rows) {
    const known = groups.get(row.run.id);
    if (known === undefined) groups.set(row.run.id, { runId: row.run.id, session: row.session, rows: [row] });
    else known.rows.push(row);
  }
  return [...groups.values()];
}

/**
 * What to show after a new answer of the server: pending requests as it says; those that were decided meanwhile, by the
 * viewer or by somebody else, stay where they were until the page is left.
 */
export function keepDecided(
  shown: readonly ApprovalRow[],
  pending: readonly ApprovalRow[],
  decided: ReadonlyMap<string, ApprovalRow>,
): ApprovalRow[] {
  const stillPending = new Map(pending.map((row) => [row.id, row]));
  const kept = shown.flatMap((row) => decided.get(row.id) ?? stillPending.get(row.id) ?? []);
  const known = new Set(kept.map((row) => row.id));
  return [...pending.filter((row) => !known.has(row.id) && !decided.has(row.id)), ...kept];
}
