import type { Authority } from "@wheelhouse/domain";
import type { MessageStore } from "../../port.ts";
import type { RebuildOutcome } from "../../records.ts";
import { int, sessionSelect, textOrNull } from "../rows.ts";
import type { Tx } from "../sql.ts";
import type { Values } from "../write-set.ts";
import type { StoreContext } from "./context.ts";
import { type KnownMessage, planRebuild, type RebuildPlan, type ToldMessage } from "./plan-rebuild.ts";
import { knownMessageOf, toldMessages, toolCallsOf } from "./rebuild-rows.ts";
import { recountMessages } from "./recount-messages.ts";
import { SessionDraft } from "./session-draft.ts";
import { Params, visibleSession } from "./visible-rows.ts";

type RebuildInput = Parameters<MessageStore["rebuild"]>[1];

export function messageStore(context: StoreContext): MessageStore {
  return {
    async rebuild(authority, input) {
      const { outcome, draft } = await context.db.transaction((tx) => rebuild(context, tx, authority, input));
      if (draft !== null) context.wake(draft.hint);
      return outcome;
    },
  };
}

async function rebuild(
  context: StoreContext,
  tx: Tx,
  authority: Authority,
  input: RebuildInput,
): Promise<{ outcome: RebuildOutcome; draft: SessionDraft | null }> {
  const params = new Params();
  const visible = visibleSession(context.dialect, authority, params);
  const [session] = await tx.query(
    `SELECT ${sessionSelect} FROM sessions s JOIN agents a ON a.id = s.agent_id
     WHERE ${visible} AND s.id = ${params.add(input.sessionId)} ${context.dialect.lock("s")}`,
    params.values,
  );
  if (session === undefined) return { outcome: { outcome: "notFound" }, draft: null };
  const activeRunId = textOrNull(session, "s_active_run_id");
  if (activeRunId !== null) return { outcome: { outcome: "busy", activeRunId }, draft: null };
  if (int(session, "s_last_sequence") !== input.lastSequence) return { outcome: { outcome: "changed" }, draft: null };
  const plan = planRebuild(input.messages, await readKnown(tx, input.sessionId));
  const told = plan.tell.length;
  const outcome = { outcome: "rebuilt" as const, inserted: plan.inserts.length, updated: plan.updates.length, told };
  const isChanged = outcome.inserted + outcome.updated + told > 0;
  if (input.dryRun || !isChanged) return { outcome, draft: null };
  const draft = new SessionDraft(session, { at: input.at, newId: context.newId });
  await write(tx, draft, plan, input.at);
  return { outcome, draft };
}

async function readKnown(tx: Tx, sessionId: string) {
  const [rows, events, tasks, calls] = await Promise.all([
    tx.query(
      `SELECT id, langgraph_message_id, role, content, parts, tool_calls, tool_call_id, seq FROM messages
       WHERE session_id = $1 ORDER BY seq`,
      [sessionId],
    ),
    tx.query(
      `SELECT type, payload, run_id, task_id, at FROM events WHERE session_id = $1
       AND type IN ('message.user', 'message.completed', 'message.discarded') ORDER BY sequence`,
      [sessionId],
    ),
    tx.query("SELECT id, last_run_id FROM tasks WHERE session_id = $1", [sessionId]),
    tx.query(
      `SELECT p.tool_call_id, p.run_id, r.task_id, p.finished_at FROM steps p JOIN runs r ON r.id = p.run_id
       WHERE p.session_id = $1 AND p.tool_call_id IS NOT NULL AND p.finished_at IS NOT NULL ORDER BY p.finished_at`,
      [sessionId],
    ),
  ]);
  const messages: KnownMessage[] = rows.map(knownMessageOf);
  const told: ReadonlyMap<string, ToldMessage> = toldMessages(events);
  return { messages, told, taskIds: new Set(tasks.map((row) => String(row.id))), calls: toolCallsOf(calls) };
}

async function write(tx: Tx, draft: SessionDraft, plan: RebuildPlan, at: Date): Promise<void> {
  const columns = ({ write: message }: RebuildPlan["inserts"][number]): Values => ({
    role: message.role,
    content: message.content,
    parts: message.parts ?? null,
    tool_calls: message.toolCalls ?? null,
    tool_call_id: message.toolCallId ?? null,
    updated_at: at,
  });
  let lastSeq = draft.lastMessageSeq;
  const inserts = plan.inserts.map((insert) => {
    const { write: message, seq } = insert;
    lastSeq = Math.max(lastSeq, seq);
    return {
      ...columns(insert),
      id: insert.id,
      session_id: draft.id,
      project_id: draft.projectId,
      scope_key: draft.scopeKey,
      run_id: insert.runId,
      task_id: insert.taskId,
      model: message.model ?? null,
      token_count: message.tokenCount ?? null,
      langgraph_message_id: message.langgraphMessageId,
      seq,
      created_at: insert.createdAt,
    };
  });
  tx.write([
    {
      op: "update",
      table: "messages",
      rows: plan.updates.map(({ id, write: message }) => ({
        id,
        content: message.content,
        parts: message.parts ?? null,
        tool_calls: message.toolCalls ?? null,
        tool_call_id: message.toolCallId ?? null,
        updated_at: at,
      })),
    },
    { op: "insert", table: "messages", rows: inserts },
  ]);
  // Without the run's id: what a run said last is its end.
  for (const { event, taskId } of plan.tell) draft.append({ ...event, runId: null, taskId });
  await recountMessages(tx, draft);
  draft.set({ last_message_seq: lastSeq });
  tx.write(draft.writes());
}
