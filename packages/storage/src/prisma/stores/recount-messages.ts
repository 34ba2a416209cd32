import { int, textOrNull } from "../rows.ts";
import type { Tx } from "../sql.ts";
import type { SessionDraft } from "./session-draft.ts";

/** Brings what the session shows of its messages in line with the rows as they are now. */
export async function recountMessages(tx: Pick<Tx, "query">, draft: SessionDraft): Promise<void> {
  const isShown = "session_id = $1 AND role IN ('USER', 'ASSISTANT') AND content <> ''";
  const [left] = await tx.query(
    `SELECT count(*) AS messages, (SELECT content FROM messages WHERE ${isShown} ORDER BY seq LIMIT 1) AS first_message,
       (SELECT content FROM messages WHERE ${isShown} ORDER BY seq DESC LIMIT 1) AS last_message
     FROM messages WHERE session_id = $1`,
    [draft.id],
  );
  if (left === undefined) throw new Error("A count has no rows");
  draft.setMessages({
    count: int(left, "messages"),
    first: textOrNull(left, "first_message"),
    last: textOrNull(left, "last_message"),
  });
}
