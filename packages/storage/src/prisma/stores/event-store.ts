import type { EventStore } from "../../port.ts";
import { eventOf, eventSelect, int, intOrNull } from "../rows.ts";
import type { StoreContext } from "./context.ts";
import { feedEnd, readFeed } from "./read-feed.ts";
import { Params, visibleSession } from "./visible-rows.ts";

export function eventStore(context: StoreContext): EventStore {
  return {
    async read(authority, input) {
      const { text, params } = readStatement(context, authority, input);
      const rows = await context.db.query(text, params);
      const [first] = rows;
      if (first === undefined) return null;
      const events = rows.flatMap((row) => (row.e_id === null ? [] : [eventOf(row)]));
      const lastSequence = int(first, "s_last_sequence");
      const firstSequence = intOrNull(first, "s_first_sequence") ?? lastSequence + 1;
      const isFull = events.length >= input.limit;
      return {
        events,
        // A page that is not full has looked at everything there was.
        scannedTo: isFull ? (events.at(-1)?.sequence ?? input.after) : Math.max(input.after, lastSequence),
        lastSequence,
        firstSequence,
      };
    },
    readFeed: (authority, input) => readFeed(context, authority, input),
    feedEnd: () => feedEnd(context),
  };
}

/**
 * One statement, so that the page and the session's last sequence are of one moment; one row without an event when there
 * is nothing new, none when the session does not exist for this caller.
 */
function readStatement(
  context: StoreContext,
  authority: Parameters<EventStore["read"]>[0],
  input: Parameters<EventStore["read"]>[1],
): { text: string; params: Params["values"] } {
  const params = new Params();
  const visible = visibleSession(context.dialect, authority, params);
  const sessionId = params.add(input.sessionId);
  const conditions = [`e.sequence > ${params.add(input.after)}`];
  const inList = (expression: string, values: readonly string[]) => {
    params.add(values);
    return context.dialect.inList(expression, params.values.length);
  };
  if (input.runId !== undefined) conditions.push(`e.run_id = ${params.add(input.runId)}`);
  if (input.types !== undefined) conditions.push(inList("e.type", input.types));
  if (authority.visibilities.length < 3) conditions.push(inList("e.visibility", authority.visibilities));
  const limit = params.add(input.limit);
  const select = `SELECT s.last_sequence AS s_last_sequence,
    (SELECT f.sequence FROM events f WHERE f.session_id = s.id ORDER BY f.sequence LIMIT 1) AS s_first_sequence,
    ${eventSelect} FROM sessions s LEFT JOIN`;
  const where = `WHERE ${visible} AND s.id = ${sessionId} ORDER BY e.sequence`;
  // PostgreSQL would sort the whole log of the one session before it takes the first rows; SQLite reads the index in order,
  // and would copy what a subquery answers twice.
  const text =
    context.dialect.name === "sqlite"
      ? `${select} events e ON e.session_id = s.id AND ${conditions.join(" AND ")} ${where} LIMIT ${limit}`
      : `${select} (SELECT * FROM events e WHERE e.session_id = ${sessionId} AND ${conditions.join(" AND ")}
          ORDER BY e.sequence LIMIT ${limit}) e ON 1 = 1 ${where}`;
  return { text, params: params.values };
}
