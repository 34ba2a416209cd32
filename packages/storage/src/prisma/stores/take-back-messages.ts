import { MessageRole } from "@wheelhouse/domain";
import type { RunStore } from "../../port.ts";
import type { Fence } from "../../records.ts";
import { int, sessionSelect, text, textOrNull } from "../rows.ts";
import type { Tx } from "../sql.ts";
import type { StoreContext } from "./context.ts";
import { fenceText } from "./record-batch.ts";
import { recountMessages } from "./recount-messages.ts";
import { SessionDraft } from "./session-draft.ts";

type TakeBackInput = Parameters<RunStore["takeBack"]>[1];

/** Removes what a run said and no checkpoint kept, and says so in the log; null when the run is another owner's. */
export async function takeBackMessages(
  context: StoreContext,
  tx: Tx,
  fence: Fence,
  input: TakeBackInput,
): Promise<SessionDraft | null> {
  const [session] = await tx.query(
    `SELECT ${sessionSelect} FROM sessions s JOIN agents a ON a.id = s.agent_id
     WHERE s.id = $1 AND s.fence = $2 ${context.dialect.lock("s")}`,
    [fence.sessionId, fenceText(fence)],
  );
  if (session === undefined) return null;
  const draft = new SessionDraft(session, { at: input.at, newId: context.newId });
  // The user's message has its task's id, and is nobody's to take back.
  const gone = await tx.query(
    `DELETE FROM messages WHERE session_id = $1 AND run_id = $2 AND id <> task_id
       AND ${context.dialect.inList("langgraph_message_id", 3)} RETURNING id, role, task_id, seq`,
    [fence.sessionId, fence.runId, input.langgraphMessageIds],
  );
  for (const message of gone.sort((a, b) => int(a, "seq") - int(b, "seq"))) {
    const role = MessageRole.parse(message.role);
    // Tools' answers are in the transcript only.
    if (role === "TOOL") continue;
    draft.append({
      type: "message.discarded",
      runId: fence.runId,
      taskId: textOrNull(message, "task_id"),
      payload: { messageId: text(message, "id"), role, reason: input.reason },
    });
  }
  await recountMessages(tx, draft);
  tx.write(draft.writes());
  return draft;
}
