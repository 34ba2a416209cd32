// The places of events in their project's feed. A reader goes by (position, session, sequence), and what it has passed
// must never gain a row behind its back, however late a transaction commits.
//
// PostgreSQL: position = event_feed.position + the id of the writing transaction, and a reader stops below the oldest
// transaction that is still open (`feedHorizon`). Whoever has a smaller id is over, so everything below the horizon is
// there to be seen, and whatever commits later lies above it. No lock, no counter, no second write. Where a transaction
// waited for a session behind a younger one, it would come before it in the feed with a higher sequence: a session's
// positions therefore never fall (`sessions.feed_position`). Raising a position keeps the rule: it still is no smaller than
// the id of its writer.
//
// SQLite has one writer at a time: a counter in its transactions is ordered by commit as it is.

const postgresPlace = (transaction: string) => `((SELECT f.position FROM event_feed f) + ${transaction}::text::bigint)`;

/** The place that the current transaction gives to what it writes. Takes a transaction id. */
export const feedPlace = postgresPlace("pg_current_xact_id()");

/** In the snapshot of the statement that asks: everything below is over and can be seen, for ever. */
export const postgresHorizon = postgresPlace("pg_snapshot_xmin(pg_current_snapshot())");

/** The same in SQLite, where whoever reads sees a moment between two transactions. */
export const sqliteHorizon = "(SELECT f.position + 1 FROM event_feed f)";

/**
 * A copy of the database on another server meets smaller transaction ids there: its feed goes on behind the highest place
 * that was ever given. Changes nothing on the server where the places were given.
 */
export const continueFeed = `UPDATE event_feed SET position = given.highest + 1 - pg_snapshot_xmin(pg_current_snapshot())::text::bigint
  FROM (SELECT coalesce(max(p.highest), 0) AS highest FROM (SELECT
    (SELECT max(e.position) FROM events e WHERE e.project_id = projects.id) AS highest FROM projects) p) given
  WHERE given.highest >= position + pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;
