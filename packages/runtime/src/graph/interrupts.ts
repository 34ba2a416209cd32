import { type Decision, decisions, type NewId } from "@wheelhouse/domain";
import type { InterruptRecord, NewInterrupt } from "@wheelhouse/storage";
import { z } from "zod";
import { RunRefusal } from "./classify-failure.ts";
import { recordable } from "./payload.ts";

/** An interrupt as LangGraph streams it. */
export interface GraphInterruptValue {
  id?: string;
  value?: unknown;
}

/** The words of LangChain's human-in-the-loop requests, and `respond`, which ours add. */
export const decisionWords = {
  APPROVE: "approve",
  EDIT: "edit",
  REJECT: "reject",
  RESPOND: "respond",
} as const satisfies Record<Decision, string>;

/** What LangChain's middleware allows when it does not say. */
const usualDecisions: readonly Decision[] = ["APPROVE", "EDIT", "REJECT"];
/** The id of a stop that names no question: `interruptBefore` and `interruptAfter` of a compiled graph. */
const breakpointId = "breakpoint";
/** Between LangGraph's id of an interrupt and the place of one of its several requests. */
const placeMark = "/";

/** A call that waits for a human, as middleware asks for it. */
export interface ActionRequest {
  name: string;
  args: Record<string, unknown>;
  description?: string;
}

/** What a human may say to the request at the same place. */
export interface ReviewConfig {
  actionName: string;
  allowedDecisions: string[];
  /** JSON Schema of the arguments. */
  argsSchema?: Record<string, unknown>;
}

/** Decisions as middleware is given them, in the order of its requests. */
export const Reviews = z.object({
  decisions: z.array(
    z.discriminatedUnion("type", [
      z.object({ type: z.literal("approve") }),
      z.object({
        type: z.literal("edit"),
        editedAction: z.object({ name: z.string(), args: z.record(z.string(), z.unknown()) }),
      }),
      z.object({ type: z.literal("reject"), message: z.string().optional() }),
      z.object({ type: z.literal("respond"), message: z.string() }),
    ]),
  ),
});
export type Review = z.infer<typeof Reviews>["decisions"][number];

export interface NewInterruptOptions {
  newId: NewId;
  expiresAt: Date | null;
  maxPayloadBytes: number;
  /** JSON Schema of a tool's arguments, as far as the tools are known; null when it is not. */
  argsSchemaOf: (tool: string) => Record<string, unknown> | null;
}

/**
 * LangGraph's pending interrupts → rows. Several with one id are one. Middleware asks for all calls of a message in one
 * interrupt: each of its requests becomes a row of its own, so that each has its own decisions and its own answer.
 */
export function toNewInterrupts(found: readonly GraphInterruptValue[], options: NewInterruptOptions): NewInterrupt[] {
  const { newId, expiresAt, maxPayloadBytes } = options;
  const byId = new Map(found.map((interrupt) => [interrupt.id ?? breakpointId, interrupt]));
  if (byId.size === 0) return [{ ...breakpoint, id: newId(), expiresAt }];
  return [...byId].flatMap(([interruptId, { value }]): NewInterrupt[] => {
    const actions = approvalsIn(value);
    if (actions === null) {
      const requests = recordable([{ name: "question", args: { value: value ?? null } }], {
        maxBytes: maxPayloadBytes,
      });
      const asked = { kind: "QUESTION" as const, actionRequests: requests, allowedDecisions: ["RESPOND" as const] };
      return [{ id: newId(), interruptId, ...asked, expiresAt }];
    }
    return actions.map((action, place) => ({
      id: newId(),
      interruptId: actions.length === 1 ? interruptId : `${interruptId}${placeMark}${place}`,
      ...approvalRow(action, reviewOf(value, action.name, place), options),
      expiresAt,
    }));
  });
}

const breakpoint: Omit<NewInterrupt, "id" | "expiresAt"> = {
  interruptId: breakpointId,
  kind: "QUESTION",
  actionRequests: [{ name: "question", args: { value: "The graph stopped at a breakpoint. Continue?" } }],
  allowedDecisions: ["APPROVE"],
};

function approvalRow(
  action: ActionRequest,
  review: Record<string, unknown> | null,
  { maxPayloadBytes, argsSchemaOf }: NewInterruptOptions,
): Pick<NewInterrupt, "kind" | "actionRequests" | "allowedDecisions"> {
  const words: unknown[] | null = Array.isArray(review?.allowedDecisions) ? review.allowedDecisions : null;
  const allowedDecisions =
    words === null ? [...usualDecisions] : decisions.filter((decision) => words.includes(decisionWords[decision]));
  const argsSchema = isRecord(review?.argsSchema) ? review.argsSchema : argsSchemaOf(action.name);
  const request = recordable(action, { maxBytes: maxPayloadBytes });
  // The schema is kept as it is: it names arguments and holds no values, so nothing in it is to be redacted.
  const described = isRecord(request) && argsSchema !== null ? { ...request, argsSchema } : request;
  return { kind: "TOOL_APPROVAL", actionRequests: [described], allowedDecisions };
}

/** Answers → what `Command({resume})` takes, by interrupt id; null when there is only a breakpoint to pass. */
export function toResume(answers: readonly InterruptRecord[]): Record<string, unknown> | null {
  const byId = new Map<string, InterruptRecord[]>();
  for (const answer of answers) {
    const id = answer.interruptId.split(placeMark)[0] ?? "";
    if (id !== breakpointId) byId.set(id, [...(byId.get(id) ?? []), answer]);
  }
  const resume = [...byId].map(([id, given]): [string, unknown] => [id, resumeValue(given)]);
  return resume.length === 0 ? null : Object.fromEntries(resume);
}

function resumeValue(given: readonly InterruptRecord[]): unknown {
  const [first] = given;
  if (first === undefined || given.some(({ decision }) => decision === null))
    throw new RunRefusal("INTERNAL", "A question of this run has no answer yet; it cannot continue.");
  if (first.kind !== "TOOL_APPROVAL") return first.decision === "APPROVE" ? true : first.decisionValue;
  const inOrder = [...given].sort((a, b) => placeOf(a) - placeOf(b));
  return { decisions: inOrder.map(toReview) };
}

const placeOf = ({ interruptId }: InterruptRecord): number => Number(interruptId.split(placeMark)[1] ?? 0);

function toReview({ decision, decisionValue: value, actionRequests }: InterruptRecord): Review {
  switch (decision) {
    case "EDIT": {
      const [action] = actionsIn(actionRequests);
      const args = isRecord(value) ? value : (action?.args ?? {});
      return { type: "edit", editedAction: { name: action?.name ?? "tool", args } };
    }
    case "REJECT":
      return typeof value === "string" && value !== "" ? { type: "reject", message: value } : { type: "reject" };
    case "RESPOND":
      return { type: "respond", message: typeof value === "string" ? value : JSON.stringify(value ?? "") };
    default:
      return { type: "approve" };
  }
}

/** The shape of LangChain's human-in-the-loop middleware. */
function approvalsIn(value: unknown): ActionRequest[] | null {
  if (!isRecord(value) || !Array.isArray(value.actionRequests) || value.actionRequests.length === 0) return null;
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

/** Reviews stand in the order of the requests; some write one per tool instead. */
function reviewOf(value: unknown, name: string, place: number): Record<string, unknown> | null {
  const reviews = isRecord(value) && Array.isArray(value.reviewConfigs) ? value.reviewConfigs.filter(isRecord) : [];
  const inPlace = reviews[place];
  if (inPlace?.actionName === name) return inPlace;
  return reviews.find((review) => review.actionName === name) ?? null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
