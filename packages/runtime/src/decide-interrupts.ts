import {
  type Authority,
  canonicalJson,
  type Decision,
  invalid,
  notFound,
  Refusal,
  storableJson,
} from "@wheelhouse/domain";
import type { DecideOutcome, InterruptDecision, InterruptRecord, RunRecord } from "@wheelhouse/storage";
import { checkJson, invalidFields, isObject, requireRole } from "./check-input.ts";
import type { RuntimeDeps } from "./deps.ts";
import { schemaIssues } from "./validate-schema.ts";

export interface InterruptAnswer {
  interruptId: string;
  decision: Decision;
  /** EDIT: the arguments to use instead. */
  args?: unknown;
  /** REJECT: what the agent is told. */
  message?: string | null | undefined;
  /** RESPOND: the answer. */
  value?: unknown;
}

export interface DecideInterruptsInput {
  decisions: readonly InterruptAnswer[];
}

/** The decided interrupts, and the run that continues the task once nothing of it is pending. */
export interface DecidedInterrupts {
  interrupts: InterruptRecord[];
  run: RunRecord | null;
}

/** Answers interrupts of one task, all or none. The first answer to each wins; a later one learns who gave it. */
export async function decideInterrupts(
  deps: RuntimeDeps,
  authority: Authority,
  input: DecideInterruptsInput,
): Promise<DecidedInterrupts> {
  requireRole(authority, "OPERATOR");
  if (input.decisions.length === 0) throw invalid("decisions", "answer at least one interrupt");
  if (input.decisions.length > 100) throw invalid("decisions", "answer at most 100 interrupts at once");
  const decisions: InterruptDecision[] = [];
  const seen = new Set<string>();
  let taskId: string | null = null;
  for (const [i, answer] of input.decisions.entries()) {
    const path = `decisions[${i}]`;
    if (seen.has(answer.interruptId)) throw invalid(`${path}.interruptId`, "is answered twice in this request");
    seen.add(answer.interruptId);
    const interrupt = await deps.storage.interrupts.get(authority, answer.interruptId);
    if (interrupt === null) throw notFound("Interrupt");
    taskId ??= interrupt.taskId;
    if (interrupt.taskId !== taskId) throw invalid(`${path}.interruptId`, "belongs to another task than the first one");
    decisions.push(checkAnswer(deps, path, interrupt, answer));
  }
  const outcome = await deps.storage.interrupts.decide(authority, {
    decisions,
    newRunId: deps.newId(),
    at: deps.clock.now(),
  });
  return decided(outcome);
}

function checkAnswer(
  { tunables }: RuntimeDeps,
  path: string,
  interrupt: InterruptRecord,
  answer: InterruptAnswer,
): InterruptDecision {
  const { interruptId: id, decision } = answer;
  // What was decided stays decided, whatever is wrong with a late answer.
  if (interrupt.decidedAt !== null) throw alreadyDecided(interrupt);
  if (!interrupt.allowedDecisions.includes(decision))
    throw invalid(`${path}.decision`, `is not allowed here; use ${interrupt.allowedDecisions.join(", ")}`);
  switch (decision) {
    case "APPROVE":
      return { id, decision };
    case "REJECT":
      return { id, decision, value: storableJson(answer.message?.slice(0, 10_000) ?? null) };
    case "RESPOND":
      if (answer.value === undefined) throw invalid(`${path}.value`, "is required for RESPOND");
      return { id, decision, value: checkJson(`${path}.value`, answer.value, tunables.maxInputBytes) };
    case "EDIT":
      return { id, decision, ...checkEdit(tunables.maxInputBytes, `${path}.args`, interrupt, answer.args) };
  }
}

function checkEdit(
  maxBytes: number,
  path: string,
  interrupt: InterruptRecord,
  args: unknown,
): { value: unknown; editedArgumentNames: string[] } {
  const [request]: unknown[] = Array.isArray(interrupt.actionRequests) ? interrupt.actionRequests : [];
  const value = checkJson(path, args ?? null, maxBytes);
  return { value, editedArgumentNames: checkEdited(path, request, value) };
}

/**
 * Checks the new arguments of a call by the tool's schema, where the graph host knows it; the names of those that differ
 * from what the model asked for.
 */
function checkEdited(path: string, request: unknown, args: unknown): string[] {
  if (!isObject(args)) throw invalid(path, "must be a JSON object with the tool's arguments");
  if (isObject(request) && isObject(request.argsSchema)) {
    const issues = schemaIssues(request.argsSchema, args, path);
    if (issues.length > 0) throw invalidFields(issues);
  }
  const before = isObject(request) && isObject(request.args) ? request.args : {};
  const names = new Set([...Object.keys(before), ...Object.keys(args)]);
  return [...names].filter((name) => textOf(before[name]) !== textOf(args[name]));
}

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : canonicalJson(value));

function alreadyDecided(interrupt: InterruptRecord): Refusal {
  const who = interrupt.decidedBy ?? "someone else";
  const when = interrupt.decidedAt?.toISOString() ?? "";
  return new Refusal("ALREADY_DECIDED", `${who} has already decided this${when === "" ? "" : ` at ${when}`}`, {
    detail: { interruptId: interrupt.id, decidedBy: who, decidedAt: when, decision: interrupt.decision ?? "" },
  });
}

function decided(outcome: DecideOutcome): DecidedInterrupts {
  switch (outcome.outcome) {
    case "decided":
      return { interrupts: outcome.interrupts, run: outcome.run };
    case "alreadyDecided":
      throw alreadyDecided(outcome.interrupt);
    case "notAllowed":
      throw invalid("decisions", `the decision is not allowed; use ${outcome.interrupt.allowedDecisions.join(", ")}`);
    case "closed":
      throw invalid(
        "decisions",
        "the task has ended or the conversation went on; nothing waits for this decision any more",
      );
    case "notFound":
      throw notFound("Interrupt");
  }
}
