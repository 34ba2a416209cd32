import { type Authority, type BusyPolicy, invalid, Refusal } from "@wheelhouse/domain";
import { chatInput } from "./chat-input.ts";
import { checkMessage } from "./check-input.ts";
import type { RuntimeDeps } from "./deps.ts";
import { type SubmittedTask, submitTask } from "./submit-task.ts";

export interface SendMessageInput {
  sessionId?: string | null | undefined;
  externalId?: string | null | undefined;
  agent?: string | null | undefined;
  content: string;
  idempotencyKey?: string | null | undefined;
  busyPolicy?: BusyPolicy | null | undefined;
  draft?: unknown;
  traceId?: string | null | undefined;
}

/** Says something to an agent: `submitTask` with the input of a conversation turn. */
export async function sendMessage(
  deps: RuntimeDeps,
  authority: Authority,
  input: SendMessageInput,
): Promise<SubmittedTask> {
  const { content, ...rest } = input;
  const text = checkMessage("content", content, deps.tunables.maxMessageBytes);
  try {
    return await submitTask(deps, authority, { ...rest, input: chatInput(text) });
  } catch (error) {
    // The caller sent no `input`: what is wrong with it is that this agent does not chat.
    if (error instanceof Refusal && error.issues.some(({ path }) => path.startsWith("input")))
      throw invalid("content", "this agent takes structured input; use submitTask");
    throw error;
  }
}
