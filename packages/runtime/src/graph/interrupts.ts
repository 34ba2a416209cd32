import { type Decision, decisions, type NewId } from "@wheelhouse/domain";
import type { InterruptRecord, NewInterrupt } from "@wheelhouse/storage";
import { RunRefusal } from "./classify-failure.ts";
import { recordable } from "./payload.ts";

/** An interrupt as LangGraph streams it. */
export interface GraphInterruptValue {
  id?: string;
  value?: unknown;
}

const decisionOf: Record<string, Decision> = { approve: "APPROVE", edit: "EDIT", reject: "REJECT", respond: "RESPOND" };
const everyDecision: Decision[] = ["APPROVE", "EDIT", "REJECT"];
/** The id of a stop that names no question: `interruptBefore` and `interruptAfter` of a compiled graph. */
const breakpointId = "breakpoint";

interface ActionRequest {
  name: string;
  args: Record<string, unknown>;
  description?: string;
}

/** LangGraph's pending interrupts → rows. Several with one id are one. */
export function toNewInterrupts(
  found: readonly GraphInterruptValue[],
  more: {
    newId: NewId;
    expiresAt: Date | null;
    maxPayloadBytes: number;
    /** What the agent's definition allows per tool; it knows decisions that the middleware has no word for. */
    interruptOn: Readonly<Record<string, readonly Decision[]>>;
  },
): NewInterrupt[] {
  const byId = new Map(found.map((interrupt) => [interrupt.id ?? breakpointId, interrupt]));
  if (byId.size === 0) return [{ ...breakpoint, id: more.newId(), expiresAt: more.expiresAt }];
  return [...byId].map(([interruptId, { value }]) => {
    const actions = approvalsIn(value);
    const kind = actions === null ? "QUESTION" : "TOOL_APPROVAL";
    const requests = actions ?? [{ name: "question", args: { value: value ?? null } }];
    return {
      id: more.newId(),
      interruptId,
      kind,
      actionRequests: recordable(requests, { maxBytes: more.maxPayloadBytes }),
      allowedDecisions: actions === null ? ["RESPOND"] : allowedBy(value, actions, more.interruptOn),
      expiresAt: more.expiresAt,
    };
  });
}

const breakpoint: Omit<NewInterrupt, "id" | "expiresAt"> = {
  interruptId: breakpointId,
  kind: "QUESTION",
  actionRequests: [{ name: "question", args: { value: "The graph stopped at a breakpoint. Continue?" } }],
  allowedDecisions: ["APPROVE"],
};

/** Answers → what `Command({resume})` takes, by interrupt id; null when there is only a breakpoint to pass. */
export function toResume(answers: readonly InterruptRecord[]): Record<string, unknown> | null {
  const resume: Record<string, unknown> = {};
  for (const answer of answers)
    if (answer.interruptId !== breakpointId) resume[answer.interruptId] = resumeValue(answer);
  return Object.keys(resume).length === 0 ? null : resume;
}

function resumeValue(answer: InterruptRecord): unknown {
  if (answer.decision === null)
    throw new RunRefusal("INTERNAL", "A question of this run has no answer yet; it cannot continue.");
  if (answer.kind !== "TOOL_APPROVAL") return answer.decision === "APPROVE" ? true : answer.decisionValue;
  const actions = actionsIn(answer.actionRequests);
  return { decisions: actions.map((action, index) => toReview(answer, action, index, actions.length)) };
}

/** One human decision stands for every tool call of its interrupt; edits of several calls come as a list in their order. */
function toReview(answer: InterruptRecord, action: ActionRequest, index: number, count: number): unknown {
  const value = answer.decisionValue;
  switch (answer.decision) {
    case "EDIT": {
      const edited: unknown = count > 1 && Array.isArray(value) ? value[index] : value;
      return { type: "edit", editedAction: { name: action.name, args: isRecord(edited) ? edited : action.args } };
    }
    case "REJECT":
      return typeof value === "string" && value !== "" ? { type: "reject", message: value } : { type: "reject" };
    case "RESPOND":
      // The middleware knows no answer in place of a tool: the call is rejected with the human's words.
      return { type: "reject", message: typeof value === "string" ? value : JSON.stringify(value ?? "") };
    default:
      return { type: "approve" };
  }
}

/** The shape of LangChain's human-in-the-loop middleware. */
function approvalsIn(value: unknown): ActionRequest[] | null {
  if (!isRecord(value) || !Array.isArray(value.actionRequests)) return null;
  return actionsIn(value.actionRequests);
}

function actionsIn(requests: unknown): ActionRequest[] {
  if (!Array.isArray(requests)) return [];
  return requests.filter(isRecord).map((request) => ({
    name:
      typeof request.name === "string" ? request.name : typeof request.action === "string" ? request.action : "tool",
    args: isRecord(request.args) ? request.args : {},
    ...(typeof request.description === "string" ? { description: request.description } : {}),
  }));
}

/** What every tool call of the interrupt allows. */
function allowedBy(
  value: unknown,
  actions: readonly ActionRequest[],
  interruptOn: Readonly<Record<string, readonly Decision[]>>,
): Decision[] {
  const reviews = isRecord(value) && Array.isArray(value.reviewConfigs) ? value.reviewConfigs.filter(isRecord) : [];
  const perAction = actions.map(({ name }) => {
    const declared = interruptOn[name];
    if (declared !== undefined) return declared;
    const named = reviews.find((review) => review.actionName === name)?.allowedDecisions;
    if (!Array.isArray(named)) return everyDecision;
    return named.map((word) => decisionOf[String(word)]).filter((decision) => decision !== undefined);
  });
  return decisions.filter((decision) => perAction.every((allowed) => allowed.includes(decision)));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
