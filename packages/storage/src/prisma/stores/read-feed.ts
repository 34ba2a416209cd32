import { type Authority, Scope } from "@wheelhouse/domain";
import type { EventStore } from "../../port.ts";
import type { FeedEvent, FeedFilter, FeedPage, FeedPlace } from "../../records.ts";
import { eventOf, eventSelect, flag, int, json, text } from "../rows.ts";
import type { Param, Row } from "../sql.ts";
import type { StoreContext } from "./context.ts";
import { Params, visibleSession } from "./visible-rows.ts";

type ReadFeedInput = Parameters<EventStore["readFeed"]>[1];

const beginning: FeedPlace = { position: 0, sessionId: "", sequence: 0 };

/** The page, its end and the feed's own end are of one moment: one statement, with a row even when there is no event. */
export async function readFeed(context: StoreContext, authority: Authority, input: ReadFeedInput): Promise<FeedPage> {
  const after = input.after ?? beginning;
  const { text: sql, params } = feedStatement(context, authority, { ...input, after });
  const rows = await context.db.query(sql, params);
  const [first] = rows;
  if (first === undefined) throw new Error("event_feed has lost its row");
  const events = rows.flatMap((row) => (row.e_id === null ? [] : [feedEventOf(row)]));
  const last = events.at(-1);
  const scanned = int(first, "scanned");
  const end = endAt(int(first, "horizon"));
  const isCut = last !== undefined && events.length >= input.limit && last.id !== text(first, "l_id");
  const caughtUp = !isCut && scanned < input.scan;
  const ahead = isBeyond(end, after);
  let scannedTo = after;
  if (isCut) scannedTo = placeOf(last);
  // The end, not the last event before it: whoever has read everything is as far as a reader that began with the end.
  else if (caughtUp) scannedTo = ahead ? after : end;
  else if (scanned > 0)
    scannedTo = {
      position: int(first, "l_position"),
      sessionId: text(first, "l_session_id"),
      sequence: int(first, "l_sequence"),
    };
  return { events, scannedTo, caughtUp, heldBack: flag(first, "held_back"), ahead };
}

/** Where the feed ends: no event that can be read lies behind it, and every later one will. */
export async function feedEnd(context: StoreContext): Promise<FeedPlace> {
  const [row] = await context.db.query(`SELECT ${context.dialect.feedHorizon} AS horizon`);
  if (row === undefined) throw new Error("event_feed has lost its row");
  return endAt(int(row, "horizon"));
}

/** Whether a place lies behind the feed's end, where no page has led to yet. */
const isBeyond = (end: FeedPlace, after: FeedPlace): boolean =>
  after.position > end.position ||
  (after.position === end.position && (after.sessionId !== end.sessionId || after.sequence > end.sequence));

/** Behind everything below the horizon, before whatever comes. */
const endAt = (horizon: number): FeedPlace => ({ position: horizon, sessionId: "", sequence: 0 });

const placeOf = ({ position, sessionId, sequence }: FeedEvent): FeedPlace => ({ position, sessionId, sequence });

const feedEventOf = (row: Row): FeedEvent => ({
  ...eventOf(row),
  position: int(row, "e_position"),
  agentName: text(row, "a_name"),
  scope: Scope.parse(json(row, "s_scope")),
  scopeKey: text(row, "s_scope_key"),
});

function feedStatement(
  context: StoreContext,
  authority: Authority,
  input: ReadFeedInput & { after: FeedPlace },
): { text: string; params: Param[] } {
  const { feedHorizon } = context.dialect;
  const params = new Params();
  const project = params.add(authority.projectId);
  const position = params.add(input.after.position);
  const sessionId = params.add(input.after.sessionId);
  const sequence = params.add(input.after.sequence);
  const scan = params.add(input.scan);
  const visible = visibleSession(context.dialect, authority, params);
  const conditions = [visible, ...filterConditions(context, authority, input.filter ?? {}, params)];
  const limit = params.add(input.limit);
  const order = (direction: string) => `position ${direction}, session_id ${direction}, sequence ${direction}`;
  const sql = `WITH page AS MATERIALIZED (
      SELECT e.* FROM events e
      WHERE e.project_id = ${project} AND e.position >= ${position} AND e.position < ${feedHorizon}
        AND (e.position > ${position} OR e.session_id > ${sessionId} OR (e.session_id = ${sessionId} AND e.sequence > ${sequence}))
      ORDER BY ${order("ASC")} LIMIT ${scan}),
    found AS (
      SELECT ${eventSelect}, e.position AS e_position, a.name AS a_name, s.scope AS s_scope, s.scope_key AS s_scope_key
      FROM page e JOIN sessions s ON s.id = e.session_id JOIN agents a ON a.id = s.agent_id
      WHERE ${conditions.join(" AND ")}
      ORDER BY e.position, e.session_id, e.sequence LIMIT ${limit})
    SELECT (SELECT count(*) FROM page) AS scanned, ${feedHorizon} AS horizon,
      EXISTS (SELECT 1 FROM events h WHERE h.project_id = ${project} AND h.position >= ${feedHorizon}) AS held_back,
      l.id AS l_id, l.position AS l_position, l.session_id AS l_session_id, l.sequence AS l_sequence, found.*
    FROM event_feed
    LEFT JOIN (SELECT id, position, session_id, sequence FROM page ORDER BY ${order("DESC")} LIMIT 1) l ON 1 = 1
    LEFT JOIN found ON 1 = 1
    ORDER BY e_position, e_session_id, e_sequence`;
  return { text: sql, params: params.values };
}

function filterConditions(context: StoreContext, authority: Authority, filter: FeedFilter, params: Params): string[] {
  const conditions: string[] = [];
  const inList = (expression: string, values: readonly string[]) => {
    params.add(values);
    conditions.push(context.dialect.inList(expression, params.values.length));
  };
  inList("e.visibility", authority.visibilities);
  if (filter.visibilities !== undefined) inList("e.visibility", filter.visibilities);
  if (filter.types !== undefined) inList("e.type", filter.types);
  if (filter.agents !== undefined) inList("a.name", filter.agents);
  if (filter.sessionId !== undefined) conditions.push(`e.session_id = ${params.add(filter.sessionId)}`);
  return conditions;
}
