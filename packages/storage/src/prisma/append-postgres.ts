import { feedPlace } from "./feed.ts";
import type { Appended, AppendGroup, Row } from "./sql.ts";
import { columnType, type TableName } from "./tables.ts";
import { usageOf } from "./usage-delta.ts";
import { recordset, storableJsonText } from "./write-set.ts";

// ONE statement appends for every session of a flush. Each group's session row is locked in id order and its fence is
// compared under that lock; the row gives the sequences and takes the counters, so nothing ever reads MAX(). A group
// whose fence does not hold writes nothing and is missing from the answer.

const columnsOf = (table: TableName, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, columnType(table, name)]));

const eventColumns = [
  "id",
  "run_id",
  "task_id",
  "step_id",
  "type",
  "visibility",
  "payload",
  "trace_id",
  "span_id",
  "at",
];
const stepColumns = [
  "id",
  "parent_step_id",
  "name",
  "kind",
  "status",
  "seq",
  "attempt",
  "inputs",
  "output",
  "prompt",
  "error",
  "tool_uri",
  "tool_call_id",
  "started_at",
  "finished_at",
  "duration_ms",
  "metadata",
];
const messageColumns = [
  "id",
  "langgraph_message_id",
  "role",
  "content",
  "parts",
  "tool_calls",
  "tool_call_id",
  "model",
  "token_count",
  "created_at",
];
const callColumns = [
  "id",
  "step_id",
  "call_type",
  "provider",
  "model",
  "prompt_tokens",
  "completion_tokens",
  "total_tokens",
  "cached_prompt_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "status",
  "response_code",
  "attempt",
  "error",
  "started_at",
  "duration_ms",
  "time_to_first_token_ms",
];

const groupRecord = `jsonb_to_recordset($1::jsonb) AS b(g int, session_id text, run_id text, fence text, at timestamp(3),
  first_event_at timestamp(3), events int, fresh_messages int, calls int, prompt int, completion int, total int, cached int,
  reasoning int, usage text)`;

interface Parts {
  steps: boolean;
  messages: boolean;
  calls: boolean;
  firstEvents: boolean;
}

const texts = new Map<string, string>();

function statementText(parts: Parts): string {
  const key = JSON.stringify(parts);
  const known = texts.get(key);
  if (known !== undefined) return known;
  const ctes = [
    `locked AS MATERIALIZED (
      SELECT b.*, s.id, s.project_id, s.agent_id, s.scope_key, s.last_sequence, s.last_message_seq,
        greatest(s.feed_position, ${feedPlace}) AS position, r.task_id
      FROM ${groupRecord}
      JOIN sessions s ON s.id = b.session_id AND s.fence = b.fence
      JOIN runs r ON r.id = b.run_id
      ORDER BY s.id FOR NO KEY UPDATE OF s)`,
    `ev AS (INSERT INTO events (${eventColumns.join(", ")}, project_id, session_id, sequence, position, created_at)
      SELECT ${eventColumns.map((c) => `v.${c}`).join(", ")}, l.project_id, l.id, l.last_sequence + v.n, l.position, $3::timestamp(3)
      FROM ${recordset(2, { g: "int", n: "int", ...columnsOf("events", eventColumns) })} JOIN locked l ON l.g = v.g)`,
  ];
  if (parts.steps) ctes.push(stepText);
  if (parts.messages) ctes.push(...messageTexts);
  if (parts.calls) ctes.push(callText);
  if (parts.firstEvents)
    ctes.push(`fe AS (UPDATE runs r SET first_event_at = coalesce(r.first_event_at, l.first_event_at)
      FROM locked l WHERE r.id = l.run_id AND l.first_event_at IS NOT NULL)`);
  ctes.push(sessionText(parts));
  // Every parameter that is sent has to be mentioned, or PostgreSQL cannot tell its type.
  if (parts.steps || parts.messages || parts.calls)
    ctes.unshift("unused AS (SELECT $4::jsonb IS NULL OR $5::jsonb IS NULL OR $6::jsonb IS NULL)");
  const text = `WITH ${ctes.join(",\n")}\nSELECT g, project_id, last_sequence FROM up`;
  texts.set(key, text);
  return text;
}

const stepText = `st AS (INSERT INTO steps AS s (${stepColumns.join(", ")}, run_id, session_id, project_id, created_at, updated_at)
  SELECT ${stepColumns.map((c) => (c === "metadata" ? "coalesce(v.metadata, '{}'::jsonb)" : `v.${c}`)).join(", ")},
    l.run_id, l.id, l.project_id, $3::timestamp(3), $3::timestamp(3)
  FROM ${recordset(4, { g: "int", ...columnsOf("steps", stepColumns) })} JOIN locked l ON l.g = v.g
  ON CONFLICT (id) DO UPDATE SET status = excluded.status, name = excluded.name, kind = excluded.kind,
    parent_step_id = coalesce(excluded.parent_step_id, s.parent_step_id), attempt = excluded.attempt,
    inputs = coalesce(excluded.inputs, s.inputs), output = coalesce(excluded.output, s.output),
    prompt = coalesce(excluded.prompt, s.prompt), error = coalesce(excluded.error, s.error),
    tool_uri = coalesce(excluded.tool_uri, s.tool_uri), tool_call_id = coalesce(excluded.tool_call_id, s.tool_call_id),
    finished_at = excluded.finished_at, duration_ms = excluded.duration_ms, metadata = CASE WHEN excluded.metadata = '{}' THEN s.metadata ELSE excluded.metadata END,
    updated_at = excluded.updated_at
  WHERE s.run_id = excluded.run_id
  RETURNING s.session_id, (xmax = 0) AS fresh)`;

const messageTexts = [
  `mi AS MATERIALIZED (SELECT v.*, l.id AS session_id, l.project_id, l.scope_key, l.run_id, l.task_id,
    coalesce(x.seq, l.last_message_seq + row_number() OVER (PARTITION BY v.g, (x.id IS NULL) ORDER BY v.n)) AS seq,
    x.id IS NULL AS fresh
    FROM ${recordset(5, { g: "int", n: "int", preview: "text", ...columnsOf("messages", messageColumns) } as const)}
    JOIN locked l ON l.g = v.g
    LEFT JOIN messages x ON x.session_id = l.id AND x.langgraph_message_id = v.langgraph_message_id)`,
  `me AS (INSERT INTO messages AS m (${messageColumns.join(", ")}, session_id, project_id, scope_key, run_id, task_id, seq, updated_at)
    SELECT ${messageColumns.join(", ")}, session_id, project_id, scope_key, run_id, task_id, seq, $3::timestamp(3) FROM mi
    ON CONFLICT (session_id, langgraph_message_id) DO UPDATE SET content = excluded.content,
      parts = coalesce(excluded.parts, m.parts), tool_calls = coalesce(excluded.tool_calls, m.tool_calls),
      tool_call_id = coalesce(excluded.tool_call_id, m.tool_call_id), model = coalesce(excluded.model, m.model),
      token_count = coalesce(excluded.token_count, m.token_count), run_id = coalesce(m.run_id, excluded.run_id),
      task_id = coalesce(m.task_id, excluded.task_id), updated_at = excluded.updated_at
    RETURNING m.session_id, m.seq, m.langgraph_message_id, (xmax = 0) AS fresh)`,
  `mp AS (SELECT me.session_id, me.seq, mi.preview FROM me
    JOIN mi ON mi.session_id = me.session_id AND mi.langgraph_message_id = me.langgraph_message_id
    WHERE mi.preview IS NOT NULL)`,
  `shown AS (SELECT session_id, min(seq) AS first_seq, max(seq) AS last_seq,
    (array_agg(preview ORDER BY seq))[1] AS first_preview, (array_agg(preview ORDER BY seq DESC))[1] AS last_preview
    FROM mp GROUP BY session_id)`,
];

const callText = `mc AS (INSERT INTO model_calls (${callColumns.join(", ")}, project_id, scope_key, agent_id, session_id, run_id, created_at)
  SELECT ${callColumns.map((c) => `v.${c}`).join(", ")}, l.project_id, l.scope_key, l.agent_id, l.id, l.run_id, $3::timestamp(3)
  FROM ${recordset(6, { g: "int", ...columnsOf("model_calls", callColumns) })} JOIN locked l ON l.g = v.g)`;

const isShown = "x.role IN ('USER', 'ASSISTANT') AND x.content <> ''";

function sessionText(parts: Parts): string {
  const sets = [
    "last_sequence = s.last_sequence + l.events",
    "feed_position = l.position",
    "updated_at = greatest(s.updated_at, l.at)",
  ];
  if (parts.steps)
    sets.push("step_count = s.step_count + (SELECT count(*) FROM st WHERE st.session_id = l.id AND st.fresh)");
  if (parts.messages)
    sets.push(
      "message_count = s.message_count + (SELECT count(*) FROM me WHERE me.session_id = l.id AND me.fresh)",
      "last_message_seq = s.last_message_seq + (SELECT count(*) FROM mi WHERE mi.session_id = l.id AND mi.fresh)",
      `first_message = coalesce((SELECT h.first_preview FROM shown h WHERE h.session_id = l.id AND NOT EXISTS (SELECT FROM
        messages x WHERE x.session_id = l.id AND x.seq < h.first_seq AND ${isShown})), s.first_message)`,
      `last_message = coalesce((SELECT h.last_preview FROM shown h WHERE h.session_id = l.id AND NOT EXISTS (SELECT FROM
        messages x WHERE x.session_id = l.id AND x.seq > h.last_seq AND ${isShown})), s.last_message)`,
      // An indexed column: changing it costs every index of the row, so at most once a second.
      `last_activity_at = CASE WHEN l.fresh_messages > 0 AND s.last_activity_at <= l.at - interval '1 second'
        THEN l.at ELSE s.last_activity_at END`,
    );
  if (parts.calls)
    sets.push(
      "model_call_count = s.model_call_count + l.calls",
      "prompt_tokens = s.prompt_tokens + l.prompt",
      "completion_tokens = s.completion_tokens + l.completion",
      "total_tokens = s.total_tokens + l.total",
      "cached_prompt_tokens = s.cached_prompt_tokens + l.cached",
      "reasoning_tokens = s.reasoning_tokens + l.reasoning",
      `usage_status = CASE WHEN l.calls = 0 THEN s.usage_status WHEN s.model_call_count = 0 OR s.usage_status = l.usage
        THEN l.usage ELSE 'PARTIAL' END`,
    );
  return `up AS (UPDATE sessions s SET ${sets.join(", ")} FROM locked l WHERE s.id = l.id
    RETURNING l.g, s.project_id, s.last_sequence)`;
}

const numbered = <T extends object>(groups: readonly AppendGroup[], rows: (group: AppendGroup) => readonly T[]) =>
  groups.flatMap((group, g) => rows(group).map((row, i) => ({ g, n: i + 1, ...row })));

/** The statement of a flush; `now` is what created_at and updated_at become. */
export function appendStatement(groups: readonly AppendGroup[], now: string): { sql: string; params: string[] } {
  const heads = groups.map((group, g) => ({
    g,
    session_id: group.sessionId,
    run_id: group.runId,
    fence: group.fence,
    at: group.at,
    first_event_at: group.firstEventAt,
    events: group.events.length,
    fresh_messages: group.messages.length,
    ...usageOf(group.modelCalls),
  }));
  const parts: Parts = {
    steps: groups.some((group) => group.steps.length > 0),
    messages: groups.some((group) => group.messages.length > 0),
    calls: groups.some((group) => group.modelCalls.length > 0),
    firstEvents: groups.some((group) => group.firstEventAt !== null),
  };
  const params = [storableJsonText(heads), storableJsonText(numbered(groups, (group) => group.events)), now];
  if (parts.steps || parts.messages || parts.calls)
    params.push(
      storableJsonText(numbered(groups, (group) => group.steps)),
      storableJsonText(numbered(groups, (group) => group.messages)),
      storableJsonText(numbered(groups, (group) => group.modelCalls)),
    );
  return { sql: statementText(parts), params };
}

/** The answer of the statement, in the order of the groups. */
export function appendedOf(groups: readonly AppendGroup[], rows: readonly Row[]): (Appended | null)[] {
  const answers: (Appended | null)[] = groups.map(() => null);
  for (const row of rows)
    answers[Number(row.g)] = { projectId: String(row.project_id), lastSequence: Number(row.last_sequence) };
  return answers;
}
