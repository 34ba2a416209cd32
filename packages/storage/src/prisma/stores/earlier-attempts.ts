// SQL about the runs that a run continues or repeats, through `parent_run_id`.

/** `WITH … up(for_run, id, parent_run_id, status, attempt)`: the earlier attempts of the runs `r` that the condition names. */
export const earlierAttempts = (runs: string): string =>
  `WITH RECURSIVE up(for_run, id, parent_run_id, status, attempt) AS (
     SELECT r.id, p.id, p.parent_run_id, p.status, p.attempt FROM runs r JOIN runs p ON p.id = r.parent_run_id WHERE ${runs}
     UNION ALL
     SELECT up.for_run, p.id, p.parent_run_id, p.status, p.attempt FROM up JOIN runs p ON p.id = up.parent_run_id)`;

/** The attempt waited for humans, and they have answered everything. */
export const isAnswered = (attempt: string): string =>
  `${attempt}.status = 'INTERRUPTED' AND NOT EXISTS
     (SELECT 1 FROM interrupts u WHERE u.run_id = ${attempt}.id AND u.decision IS NULL)`;
