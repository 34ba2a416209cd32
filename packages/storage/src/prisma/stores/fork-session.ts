import { type Authority, preview } from "@wheelhouse/domain";
import { z } from "zod";
import type { SessionStore } from "../../port.ts";
import type { ForkOutcome, ForkRequest, SessionRecord } from "../../records.ts";
import { intOrNull, json, sessionOf, sessionSelect, text, textOrNull, time } from "../rows.ts";
import type { Row, Tx } from "../sql.ts";
import type { Values } from "../write-set.ts";
import type { StoreContext } from "./context.ts";
import { freshRow, newSessionValues } from "./new-session.ts";
import { SessionDraft } from "./session-draft.ts";
import { submitTask } from "./submit-task.ts";
import { Params, visibleSession } from "./visible-rows.ts";

type ForkStore = Pick<SessionStore, "announceFork" | "fork" | "abandonForks" | "forgetFork">;

/** The kind of the jobs that stand for copies of threads under way. */
const forkKind = "FORK";

const ForkFilter = z.object({ threadId: z.string() });

export function forkStore(context: StoreContext): ForkStore {
  const { db, dialect } = context;
  return {
    async announceFork(authority, { sourceId, forkId, threadId, at }) {
      return await db.transaction(async (tx) => {
        const source = await readSource(context, tx, authority, sourceId);
        if (source === null) return null;
        const job = {
          ...{ id: forkId, project_id: authority.projectId, kind: forkKind, status: "RUNNING" },
          ...{ filter: { threadId }, created_at: at, updated_at: at },
        };
        tx.write([{ op: "insert", table: "jobs", rows: [job] }]);
        return sessionOf(source);
      });
    },
    async fork(authority, request) {
      const { outcome, drafts } = await db.transaction((tx) => forkSession(context, tx, authority, request));
      for (const draft of drafts) context.wake(draft.hint);
      return outcome;
    },
    async abandonForks({ before, limit, at }) {
      const rows = await db.query(
        `UPDATE jobs SET status = 'FAILED', updated_at = $3 WHERE id IN
           (SELECT id FROM jobs WHERE kind = '${forkKind}' AND created_at < $1 ORDER BY created_at LIMIT $2)
         RETURNING id, filter`,
        [dialect.time(before), limit, dialect.time(at)],
      );
      return rows.map((row) => ({ forkId: text(row, "id"), ...ForkFilter.parse(json(row, "filter")) }));
    },
    async forgetFork(forkId) {
      await db.query(`DELETE FROM jobs WHERE id = $1 AND kind = '${forkKind}' RETURNING id`, [forkId]);
    },
  };
}

async function readSource(context: StoreContext, tx: Tx, authority: Authority, id: string): Promise<Row | null> {
  const params = new Params();
  const visible = visibleSession(context.dialect, authority, params);
  const [row] = await tx.query(
    `SELECT ${sessionSelect}, s.metadata AS s_metadata FROM sessions s JOIN agents a ON a.id = s.agent_id
     WHERE ${visible} AND s.id = ${params.add(id)}`,
    params.values,
  );
  return row ?? null;
}

interface Forked {
  outcome: ForkOutcome;
  drafts: SessionDraft[];
}

async function forkSession(context: StoreContext, tx: Tx, authority: Authority, request: ForkRequest): Promise<Forked> {
  const source = await readSource(context, tx, authority, request.sourceId);
  if (source === null) return { outcome: { outcome: "notFound" }, drafts: [] };
  const [job] = await tx.query(
    `DELETE FROM jobs WHERE id = $1 AND kind = '${forkKind}' AND status = 'RUNNING' RETURNING id`,
    [request.forkId],
  );
  if (job === undefined) return { outcome: { outcome: "abandoned" }, drafts: [] };
  const messages = await withSource(tx, request);
  const draft = writeCopy(context, tx, authority, source, { ...request, messages });
  if (request.work === null) {
    const [row] = await tx.query(
      `SELECT ${sessionSelect} FROM sessions s JOIN agents a ON a.id = s.agent_id WHERE s.id = $1`,
      [draft.id],
    );
    if (row === undefined) throw new Error("The session is gone right after it was created");
    return { outcome: { outcome: "forked", session: sessionOf(row), work: null }, drafts: [draft] };
  }
  const work = { ...request.work, session: { by: "id" as const, id: draft.id } };
  const submitted = await submitTask(context, tx, authority, work);
  if (submitted.outcome.outcome !== "submitted" || submitted.draft === null)
    throw new Error(`The first work of a fork was not taken: ${submitted.outcome.outcome}`);
  const { session }: { session: SessionRecord } = submitted.outcome;
  return { outcome: { outcome: "forked", session, work: submitted.outcome }, drafts: [draft, submitted.draft] };
}

/** The messages with what the source's rows know of them and a checkpoint does not: when, which model, how many tokens. */
async function withSource(tx: Tx, { sourceId, messages }: ForkRequest): Promise<ForkRequest["messages"]> {
  const rows = await tx.query(
    "SELECT langgraph_message_id, model, token_count, created_at FROM messages WHERE session_id = $1",
    [sourceId],
  );
  const known = new Map(rows.map((row) => [textOrNull(row, "langgraph_message_id"), row]));
  return messages.map((message) => {
    const row = known.get(message.langgraphMessageId);
    if (row === undefined) return message;
    const [model, tokenCount] = [textOrNull(row, "model"), intOrNull(row, "token_count")];
    return { ...message, model, tokenCount, createdAt: time(row, "created_at") };
  });
}

function writeCopy(
  context: StoreContext,
  tx: Tx,
  authority: Authority,
  source: Row,
  { session, messages, events, sourceId, checkpointId, headCheckpoint, at }: ForkRequest,
): SessionDraft {
  const { scope, scopeKey, agentId, projectId } = sessionOf(source);
  const owner = { ...authority, scope, scopeKey, projectId };
  const values = newSessionValues(owner, session, {
    ...{ agentId, externalId: null, idempotencyKey: null, requestFingerprint: null, at },
  });
  const draft = new SessionDraft(freshRow(values), { at, newId: context.newId });
  for (const event of events) draft.append(event);
  const shown = messages.filter(({ role, content }) => (role === "USER" || role === "ASSISTANT") && content !== "");
  const [first] = shown;
  const last = shown.at(-1);
  const summary: Values = {
    message_count: messages.length,
    last_message_seq: messages.length,
    first_message: first === undefined ? null : preview(first.content),
    last_message: last === undefined ? null : preview(last.content),
    head_checkpoint: headCheckpoint,
    forked_from: sourceId,
    forked_checkpoint: checkpointId,
    title: session.title ?? textOrNull(source, "s_title"),
    metadata: json(source, "s_metadata"),
  };
  tx.write([
    { op: "insert", table: "sessions", rows: [{ ...values, ...summary, ...draft.columns }] },
    { op: "insert", table: "messages", rows: messages.map((message, i) => messageValues(draft, message, i + 1, at)) },
    draft.events,
  ]);
  return draft;
}

const messageValues = (draft: SessionDraft, message: ForkRequest["messages"][number], seq: number, at: Date) => ({
  id: message.id,
  session_id: draft.id,
  project_id: draft.projectId,
  scope_key: draft.scopeKey,
  role: message.role,
  content: message.content,
  parts: message.parts ?? null,
  tool_calls: message.toolCalls ?? null,
  tool_call_id: message.toolCallId ?? null,
  model: message.model ?? null,
  token_count: message.tokenCount ?? null,
  seq,
  langgraph_message_id: message.langgraphMessageId,
  created_at: message.createdAt,
  updated_at: at,
});
