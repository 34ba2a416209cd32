import type { ClaimedRun, MessageWrite } from "@wheelhouse/storage";
import type { RuntimeDeps } from "./deps.ts";
import type { GraphOutput, GraphRunRequest } from "./graph-host.ts";
import { rowIds } from "./message-ids.ts";
import { closeOpenEnds, type OpenEnds, recoveredMessages } from "./reconcile-run.ts";
import type { Recorder } from "./record-events.ts";

/** The store of the graph's state was out of reach: the run is left to whoever takes it when its lease has expired. */
export class StateOutOfReach extends Error {}

/** Reads from the store of the graphs' state; a run waits for it where it fails. */
export const fromStore = <T>(read: Promise<T>): Promise<T> =>
  read.catch((cause: unknown) => {
    throw new StateOutOfReach("the store of the graph's state is out of reach", { cause });
  });

/**
 * Begins where a run that was ended from outside got to. What it got to is recorded, so that this run can be taken back
 * to it; and what it could not tell the log any more is told now.
 */
export async function takeOver(
  deps: RuntimeDeps,
  { fence, run, session }: ClaimedRun,
  checkpointId: string | null,
  recorder: Recorder,
): Promise<void> {
  const at = deps.clock.now();
  const begun = await deps.storage.runs.begin(fence, { checkpointBefore: checkpointId, at });
  if (begun === "fenced" || checkpointId === null) return;
  const ends = await deps.storage.runs.openEnds(fence);
  const checkpointed = await fromStore(deps.graphs.threadMessages(run.manifest, session.threadId, checkpointId));
  await recorder.add(recoveredMessages(checkpointed.map(rowIds(session.id, run.taskId).message), ends, at));
  // Whoever looks for what is missing next must find this told.
  await recorder.flush();
}

/**
 * Tells what came into the state of a recovered run without being said again, and was not known by any id before: what a
 * subgraph had said, or a message that got its id with the state.
 */
export async function tellUntold(
  deps: RuntimeDeps,
  { fence, run, session, recovered }: ClaimedRun,
  { batch, end, checkpointId }: Extract<GraphOutput, { kind: "end" }>,
  recorder: Recorder,
): Promise<void> {
  if (!recovered || checkpointId == null || (end.status !== "SUCCEEDED" && end.status !== "INTERRUPTED")) return;
  await recorder.flush();
  const ends = await deps.storage.runs.openEnds(fence);
  const said = batch.messages.map(({ langgraphMessageId }) => langgraphMessageId);
  const checkpointed = await fromStore(deps.graphs.threadMessages(run.manifest, session.threadId, checkpointId));
  const messages = checkpointed.map(rowIds(session.id, run.taskId).message);
  const told = { ...ends, recordedMessageIds: [...ends.recordedMessageIds, ...said] };
  await recorder.add(recoveredMessages(messages, told, deps.clock.now()));
}

/** Brings log and checkpoint together after an owner was lost between the two. Returns the last step's number. */
export async function reconcile(
  deps: RuntimeDeps,
  { fence, run, session, resume }: ClaimedRun,
  checkpointId: string | null,
  recorder: Recorder,
): Promise<Pick<GraphRunRequest, "lastStepSeq" | "tokensUsed">> {
  const ends = await deps.storage.runs.openEnds(fence);
  const { threadId } = session;
  const own = await fromStore(deps.graphs.lastCheckpoint(threadId, run.id));
  const reached = own ?? checkpointId;
  // Where the run begins with its input, what waits at the checkpoint before it is another turn's and comes to nothing.
  const pending = own !== null || resume !== null;
  const checkpointed =
    reached === null ? [] : await fromStore(deps.graphs.threadMessages(run.manifest, threadId, reached, { pending }));
  const at = deps.clock.now();
  await recorder.add(closeOpenEnds(ends, run.attempt, "interrupted", at));
  const messages = checkpointed.map(rowIds(session.id, run.taskId).message);
  await recorder.add(recoveredMessages(messages, ends, at));
  await recorder.flush();
  await takeBackUnkept(deps, { fence, run, session }, { ends, reached, messages, at });
  return ends;
}

/**
 * Takes back what the owner before had told in full and could not store any more: its step is repeated and says it anew,
 * under another id. What is stored beside the thread's state comes into it and stays.
 */
async function takeBackUnkept(
  deps: RuntimeDeps,
  { fence, run, session }: Pick<ClaimedRun, "fence" | "run" | "session">,
  {
    ends,
    reached,
    messages,
    at,
  }: { ends: OpenEnds; reached: string | null; messages: readonly MessageWrite[]; at: Date },
): Promise<void> {
  const kept = new Set(messages.map(({ langgraphMessageId }) => langgraphMessageId));
  const missing = ends.ownMessageIds.filter((id) => !kept.has(id));
  // Nearly always there are none, and the rest costs reading the run's checkpoints.
  if (missing.length === 0) return;
  const pending = await fromStore(deps.graphs.pendingMessageIds(session.threadId, run.id, reached));
  const langgraphMessageIds = missing.filter((id) => !pending.has(id));
  if (langgraphMessageIds.length === 0) return;
  await deps.storage.runs.takeBack(fence, { langgraphMessageIds, reason: "interrupted", at });
}
