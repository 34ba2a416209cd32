import type { ClaimedDelivery, DeliveredTask } from "@wheelhouse/storage";

/** The version of the body. It grows when a field changes its meaning or goes; new fields come without it. */
const version = 1;
/** Longer outputs are left out, UTF-8 bytes of their JSON: the receiver reads them through the API. */
export const maxWebhookOutputBytes = 65_536;

/**
 * What a receiver is told, as JSON. Terminal states are immutable, so every attempt says the same; nothing of the task
 * is kept in the delivery, and what was deleted meanwhile is not sent. Ids are those of the API.
 */
export function webhookBody({ event, facts, task }: ClaimedDelivery): string {
  const { at, ...ending } = facts;
  return JSON.stringify({
    type: event,
    timestamp: at,
    version,
    data: task === null ? {} : { ...subject(task), task: { ...taskOf(task), ...ending } },
  });
}

const subject = (task: DeliveredTask) => ({
  agent: task.agentName,
  session: { id: `Session_${task.sessionId}`, externalId: task.externalId, scope: task.scope },
  run: task.runId === null ? null : { id: `Run_${task.runId}` },
});

function taskOf(task: DeliveredTask) {
  const outputBytes = task.output === null ? 0 : Buffer.byteLength(JSON.stringify(task.output));
  const omitted = outputBytes > maxWebhookOutputBytes;
  return {
    id: `Task_${task.id}`,
    status: task.status,
    createdAt: task.createdAt.toISOString(),
    metadata: task.metadata,
    output: omitted ? null : task.output,
    outputBytes,
    outputOmitted: omitted,
  };
}
