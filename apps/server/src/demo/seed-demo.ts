import type { Authority, Scope } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import { cancelTask, createSession, decideInterrupts, sendMessage, watchEvents } from "@wheelhouse/runtime";
import type { Installation } from "../installation.ts";
import type { DemoClock } from "./demo-clock.ts";
import type { PlannedConversation } from "./demo-plan.ts";

export interface DemoCounts {
  made: number;
  /** Were there already. */
  kept: number;
}

/**
 * Lives through the planned conversations one after the other: the same use-cases, worker and graphs as in production,
 * under a clock that stands in the past. A conversation that is there already is left alone.
 */
export async function seedDemo(
  installation: Installation,
  clock: DemoClock,
  plan: readonly PlannedConversation[],
  options: { failing: Set<string>; progress: (done: number) => void },
): Promise<DemoCounts> {
  const counts = { made: 0, kept: 0 };
  for (const [i, conversation] of plan.entries()) {
    const authority = authorityOf(installation, conversation.user);
    const { sessions } = installation.runtime.storage;
    const known = await sessions.findByExternalId(authority, conversation.agent, conversation.externalId);
    if (known === null) {
      await converse(installation, authority, clock, conversation, options.failing);
      counts.made += 1;
    } else counts.kept += 1;
    options.progress(i + 1);
  }
  return counts;
}

function authorityOf({ project }: Installation, user: string | null): Authority {
  const scope: Scope = user === null ? { project: project.slug } : { project: project.slug, user };
  return {
    projectId: project.id,
    reach: "EXACT",
    scope,
    scopeKey: scopeKeyOf(scope),
    role: "OPERATOR",
    visibilities: ["END_USER", "OPERATOR"],
    actor: { kind: "SYSTEM", id: "demo", name: user ?? "Demo" },
  };
}

const minuteMs = 60_000;

async function converse(
  { runtime }: Installation,
  authority: Authority,
  clock: DemoClock,
  { agent, externalId, title, messages, ending, startsAt }: PlannedConversation,
  failing: Set<string>,
): Promise<void> {
  clock.set(startsAt);
  const { session } = await createSession(runtime, authority, {
    agent,
    externalId,
    title,
    metadata: { channel: "demo" },
  });
  for (const [i, content] of messages.entries()) {
    const isLast = i === messages.length - 1;
    if (isLast && ending === "failed") failing.add(session.id);
    const { task, run } = await sendMessage(runtime, authority, { sessionId: session.id, content });
    if (isLast && ending === "cancelled") {
      const cancelled = cancelTask(runtime, authority, { taskId: task.id, reason: "Not needed any more" });
      // A run that was faster than its cancellation stays as it ended.
      await cancelled.catch(() => undefined);
    }
    await untilEnd(runtime, authority, run.id);
    if (isLast) await decide(runtime, authority, session.id, ending);
    clock.set(new Date(clock.now().getTime() + minuteMs * (1 + (content.length % 7))));
  }
}

/** Waits until a run has said its last word. */
async function untilEnd(runtime: Installation["runtime"], authority: Authority, runId: string): Promise<void> {
  for await (const _ of await watchEvents(runtime, authority, { runId })) void _;
}

/** Answers what the conversation's last run asks, as its ending says. */
async function decide(
  runtime: Installation["runtime"],
  authority: Authority,
  sessionId: string,
  ending: PlannedConversation["ending"],
): Promise<void> {
  if (ending !== "approved" && ending !== "rejected" && ending !== "edited") return;
  const page = await runtime.storage.events.read(authority, {
    sessionId,
    after: 0,
    limit: 500,
    types: ["interrupt.requested"],
  });
  const rowId = page?.events.at(-1)?.payload.interruptId;
  const interrupt = typeof rowId === "string" ? await runtime.storage.interrupts.get(authority, rowId) : null;
  if (interrupt === null) return;
  const answer =
    ending === "approved"
      ? { decision: "APPROVE" as const }
      : ending === "rejected"
        ? { decision: "REJECT" as const, message: "Not in this tone, please." }
        : { decision: "EDIT" as const, args: { ...argumentsOf(interrupt.actionRequests), subject: "A short note" } };
  const { run } = await decideInterrupts(runtime, authority, {
    decisions: [{ interruptId: interrupt.id, ...answer }],
  });
  if (run !== null) await untilEnd(runtime, authority, run.id);
}

function argumentsOf(requests: unknown): Record<string, unknown> {
  const first: unknown = Array.isArray(requests) ? requests[0] : null;
  const args: unknown = typeof first === "object" && first !== null ? Reflect.get(first, "args") : null;
  return typeof args === "object" && args !== null ? { ...args } : {};
}
