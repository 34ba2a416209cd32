import type { Appended, AppendGroup, MessageValues, StepValues } from "./sql.ts";
import type { SqliteRunner } from "./sqlite-runner.ts";
import { usageOf } from "./usage-delta.ts";
import { sqliteTime } from "./write-set.ts";

// The append of append-postgres.ts for SQLite: the same rules, row by row, because statements here cost microseconds.

/** Appends a group inside the open transaction; null when its fence does not hold, and then nothing was written. */
export function appendGroup(run: SqliteRunner, group: AppendGroup, now: Date): Appended | null {
  const [session] = run.query(
    `UPDATE sessions SET last_sequence = last_sequence + $1, updated_at = max(updated_at, $2) WHERE id = $3 AND fence = $4
     RETURNING project_id, agent_id, scope_key, last_sequence, last_message_seq,
       (SELECT task_id FROM runs WHERE id = $5) AS task_id`,
    [group.events.length, sqliteTime(group.at), group.sessionId, group.fence, group.runId],
  );
  if (session === undefined) return null;
  const head: Head = {
    projectId: String(session.project_id),
    agentId: String(session.agent_id),
    scopeKey: String(session.scope_key),
    taskId: session.task_id === null ? null : String(session.task_id),
    lastSequence: Number(session.last_sequence),
    lastMessageSeq: Number(session.last_message_seq),
  };
  writeEvents(run, group, head, now);
  const steps = group.steps.filter((step) => writeStep(run, group, head, step, now)).length;
  if (steps > 0) run.query("UPDATE sessions SET step_count = step_count + $1 WHERE id = $2", [steps, group.sessionId]);
  if (group.messages.length > 0) writeMessages(run, group, head, now);
  if (group.modelCalls.length > 0) writeCalls(run, group, head, now);
  if (group.firstEventAt !== null)
    run.query("UPDATE runs SET first_event_at = coalesce(first_event_at, $1) WHERE id = $2", [
      sqliteTime(group.firstEventAt),
      group.runId,
    ]);
  return { projectId: head.projectId, lastSequence: head.lastSequence };
}

/** The next place of the feed; see feed.ts. Belongs to the open transaction. */
export function nextFeedPlace(run: SqliteRunner): number {
  const [row] = run.query("UPDATE event_feed SET position = position + 1 RETURNING position");
  if (row === undefined) throw new Error("event_feed has lost its row");
  return Number(row.position);
}

interface Head {
  projectId: string;
  agentId: string;
  scopeKey: string;
  taskId: string | null;
  lastSequence: number;
  lastMessageSeq: number;
}

function writeEvents(run: SqliteRunner, group: AppendGroup, head: Head, now: Date): void {
  if (group.events.length === 0) return;
  const first = head.lastSequence - group.events.length + 1;
  const position = nextFeedPlace(run);
  run.write({
    op: "insert",
    table: "events",
    rows: group.events.map((event, i) => ({
      ...event,
      project_id: head.projectId,
      session_id: group.sessionId,
      sequence: first + i,
      position,
      created_at: now,
    })),
  });
}

const stepConflict = `ON CONFLICT (id) DO UPDATE SET status = excluded.status, name = excluded.name, kind = excluded.kind,
  parent_step_id = coalesce(excluded.parent_step_id, parent_step_id), attempt = excluded.attempt,
  inputs = coalesce(excluded.inputs, inputs), output = coalesce(excluded.output, output),
  prompt = coalesce(excluded.prompt, prompt), error = coalesce(excluded.error, error),
  tool_uri = coalesce(excluded.tool_uri, tool_uri), tool_call_id = coalesce(excluded.tool_call_id, tool_call_id),
  finished_at = excluded.finished_at, duration_ms = excluded.duration_ms,
  metadata = CASE WHEN excluded.metadata = '{}' THEN metadata ELSE excluded.metadata END,
  updated_at = excluded.updated_at WHERE run_id = excluded.run_id`;

/** Whether the step is a new one. */
function writeStep(run: SqliteRunner, group: AppendGroup, head: Head, step: StepValues, now: Date): boolean {
  const [known] = run.query("SELECT 1 AS known FROM steps WHERE id = $1", [step.id]);
  run.write({
    op: "insert",
    table: "steps",
    rows: [
      {
        ...step,
        metadata: step.metadata ?? {},
        run_id: group.runId,
        session_id: group.sessionId,
        project_id: head.projectId,
        created_at: now,
        updated_at: now,
      },
    ],
    conflict: stepConflict,
  });
  return known === undefined;
}

const messageConflict = `ON CONFLICT (session_id, langgraph_message_id) DO UPDATE SET content = excluded.content,
  parts = coalesce(excluded.parts, parts), tool_calls = coalesce(excluded.tool_calls, tool_calls),
  tool_call_id = coalesce(excluded.tool_call_id, tool_call_id), model = coalesce(excluded.model, model),
  token_count = coalesce(excluded.token_count, token_count), run_id = coalesce(run_id, excluded.run_id),
  task_id = coalesce(task_id, excluded.task_id), updated_at = excluded.updated_at`;

function writeMessages(run: SqliteRunner, group: AppendGroup, head: Head, now: Date): void {
  let fresh = 0;
  const shown: { seq: number; preview: string }[] = [];
  for (const message of group.messages) {
    const [known] = run.query("SELECT seq FROM messages WHERE session_id = $1 AND langgraph_message_id = $2", [
      group.sessionId,
      message.langgraph_message_id,
    ]);
    if (known === undefined) fresh++;
    const seq = known === undefined ? head.lastMessageSeq + fresh : Number(known.seq);
    writeMessage(run, group, head, { message, seq, now });
    if (message.preview !== null) shown.push({ seq, preview: message.preview });
  }
  run.query(
    `UPDATE sessions SET message_count = message_count + $1, last_message_seq = last_message_seq + $1,
       last_activity_at = CASE WHEN julianday(last_activity_at) <= julianday($2) - 1.0 / 86400 THEN $2 ELSE last_activity_at END
     WHERE id = $3`,
    [fresh, sqliteTime(group.at), group.sessionId],
  );
  shown.sort((a, b) => a.seq - b.seq);
  const [first] = shown;
  const last = shown.at(-1);
  if (first === undefined || last === undefined) return;
  const isShown = "role IN ('USER', 'ASSISTANT') AND content <> ''";
  run.query(
    `UPDATE sessions SET first_message = $2 WHERE id = $1 AND NOT EXISTS
      (SELECT 1 FROM messages WHERE session_id = $1 AND seq < $3 AND ${isShown})`,
    [group.sessionId, first.preview, first.seq],
  );
  run.query(
    `UPDATE sessions SET last_message = $2 WHERE id = $1 AND NOT EXISTS
      (SELECT 1 FROM messages WHERE session_id = $1 AND seq > $3 AND ${isShown})`,
    [group.sessionId, last.preview, last.seq],
  );
}

function writeMessage(
  run: SqliteRunner,
  group: AppendGroup,
  head: Head,
  { message, seq, now }: { message: MessageValues; seq: number; now: Date },
): void {
  const { preview: _, ...columns } = message;
  run.write({
    op: "insert",
    table: "messages",
    rows: [
      {
        ...columns,
        session_id: group.sessionId,
        project_id: head.projectId,
        scope_key: head.scopeKey,
        run_id: group.runId,
        task_id: head.taskId,
        seq,
        updated_at: now,
      },
    ],
    conflict: messageConflict,
  });
}

function writeCalls(run: SqliteRunner, group: AppendGroup, head: Head, now: Date): void {
  run.write({
    op: "insert",
    table: "model_calls",
    rows: group.modelCalls.map((call) => ({
      ...call,
      project_id: head.projectId,
      scope_key: head.scopeKey,
      agent_id: head.agentId,
      session_id: group.sessionId,
      run_id: group.runId,
      created_at: now,
    })),
  });
  const usage = usageOf(group.modelCalls);
  run.query(
    `UPDATE sessions SET prompt_tokens = prompt_tokens + $1, completion_tokens = completion_tokens + $2,
       total_tokens = total_tokens + $3, cached_prompt_tokens = cached_prompt_tokens + $4,
       reasoning_tokens = reasoning_tokens + $5,
       usage_status = CASE WHEN model_call_count = 0 OR usage_status = $6 THEN $7 ELSE 'PARTIAL' END,
       model_call_count = model_call_count + $8 WHERE id = $9`,
    [
      usage.prompt,
      usage.completion,
      usage.total,
      usage.cached,
      usage.reasoning,
      usage.usage,
      usage.usage,
      usage.calls,
      group.sessionId,
    ],
  );
}
