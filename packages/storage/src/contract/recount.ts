import { preview, sumUsage } from "@wheelhouse/domain";
import { z } from "zod";
import type { ContractWorld } from "./contract-world.ts";

/** The summary columns of a session, counted from the rows. */
export async function recount({ models }: Pick<ContractWorld, "models">, sessionId: string) {
  const where = { sessionId };
  const events = await models.event.findMany({ where, orderBy: { sequence: "asc" } });
  const messages = await models.message.findMany({ where, orderBy: { seq: "asc" } });
  const calls = await models.modelCall.findMany({ where });
  const runs = await models.run.findMany({ where });
  const active = runs.filter((run) => ["QUEUED", "RUNNING"].includes(run.status) && run.queuePosition === null);
  const shown = messages.filter((message) => ["USER", "ASSISTANT"].includes(message.role) && message.content !== "");
  const usage = sumUsage(calls);
  const takenBack = takenBackOf(events);
  const gapless =
    events.every((event, i) => event.sequence === i + 1) &&
    (takenBack > 0 || messages.every((message, i) => message.seq === i + 1));
  return {
    gapless,
    activeRuns: active.length,
    columns: {
      lastSequence: events.length,
      lastMessageSeq: messages.length + takenBack,
      messageCount: messages.length,
      runCount: runs.length,
      taskCount: await models.task.count({ where }),
      stepCount: await models.step.count({ where }),
      errorCount: runs.filter((run) => run.status === "FAILED").length,
      modelCallCount: calls.length,
      promptTokens: usage.promptTokens ?? 0,
      completionTokens: usage.completionTokens ?? 0,
      totalTokens: usage.totalTokens ?? 0,
      usageStatus: usage.status,
      activeRunId: active[0]?.id ?? null,
      firstMessage: shown[0] === undefined ? null : preview(shown[0].content),
      lastMessage: shown.at(-1) === undefined ? null : preview(shown.at(-1)?.content ?? ""),
      fence: active[0]?.status === "RUNNING" ? `${active[0].id}:${active[0].generation}` : null,
    },
    waiting: await models.task.count({ where: { sessionId, status: "INPUT_REQUIRED" } }),
  };
}

const Payload = z.looseObject({ messageId: z.string(), reason: z.string().optional() });

/** Why whole turns leave the transcript after they had their place in it. */
const goneReasons: ReadonlySet<unknown> = new Set(["rolled back", "tried again"]);

/** Messages that had a row and were taken back: their places stay empty. */
function takenBackOf(events: readonly { type: string; payload: unknown }[]): number {
  const whole = new Set<string>();
  let takenBack = 0;
  for (const { type, payload } of events) {
    if (!type.startsWith("message.")) continue;
    const { messageId, reason } = Payload.parse(payload);
    if (type === "message.completed") whole.add(messageId);
    if (type === "message.discarded" && (goneReasons.has(reason) || whole.has(messageId))) takenBack++;
  }
  return takenBack;
}
