import type { FailureCode, RunFailure } from "@wheelhouse/domain";
import type { RedactText } from "./redact-text.ts";

/** A failure that this folder decides itself, for example a missing provider key. Its message is written for callers. */
export class RunRefusal extends Error {
  readonly failure: RunFailure;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.name = "RunRefusal";
    this.failure = { code, message };
  }
}

/** What was seen of errors while the graph ran: who threw first tells the code. */
export interface ErrorOrigins {
  model: WeakSet<object>;
  tool: WeakMap<object, string>;
  /** Thrown by the checkpoint store or the memory store. */
  persistence: WeakSet<object>;
  /** The innermost node that failed. */
  node: string | null;
}

export const newErrorOrigins = (): ErrorOrigins => ({
  model: new WeakSet(),
  tool: new WeakMap(),
  persistence: new WeakSet(),
  node: null,
});

/**
 * Whether the store of the graph's state could not be reached: nothing is wrong with the run, and it can go on from its
 * last checkpoint when the store is back.
 */
export const isStoreAway = (error: unknown, origins: ErrorOrigins): boolean =>
  causes(error).some((link) => origins.persistence.has(link) && isOutOfReach(link));

/** SQLSTATE classes 08 (connection), 53 (resources) and 57 (operator intervention), and what sockets say. */
function isOutOfReach(error: object): boolean {
  const code = field(error, "code");
  if (typeof code === "string" && /^(08|53|57)...$|^ECONN|^EPIPE$|^ETIMEDOUT$|^EHOSTUNREACH$/.test(code)) return true;
  return /connection (terminated|ended|is closed)|connection error|cannot use a pool/i.test(errorText(error));
}

/** A thrown value → one of the closed failure codes, with a text that is fit for callers. */
export function classifyFailure(error: unknown, origins: ErrorOrigins, redact: RedactText): RunFailure {
  for (const link of causes(error)) {
    if (link instanceof RunRefusal) return link.failure;
    if (origins.persistence.has(link))
      return { code: "INTERNAL", message: "The store of the conversation's state failed. Trying again may help." };
    if (isNamed(link, "GraphRecursionError", "GRAPH_RECURSION_LIMIT"))
      return {
        code: "RECURSION_LIMIT",
        message: "The agent took more steps than its limit allows and was stopped before it finished.",
      };
    if (isNamed(link, "ModelCallLimitMiddlewareError"))
      return { code: "RECURSION_LIMIT", message: "The agent called its model as often as a run may, and was stopped." };
    if (origins.model.has(link)) return { code: "MODEL_ERROR", message: modelMessage(link, redact) };
    const tool = origins.tool.get(link);
    if (tool !== undefined)
      return { code: "TOOL_ERROR", message: `The tool "${tool}" failed: ${redact(errorText(link))}` };
  }
  const place = origins.node === null ? "The graph failed" : `The graph failed in "${origins.node}"`;
  return { code: "GRAPH_ERROR", message: `${place}: ${redact(errorText(error))}` };
}

/** The HTTP status that a provider's client put on its error, if any. */
export function providerStatus(error: unknown): string | null {
  for (const link of causes(error)) {
    const status = field(link, "status") ?? field(link, "statusCode") ?? field(field(link, "response"), "status");
    if (typeof status === "number" && status >= 100 && status < 600) return String(status);
  }
  return null;
}

/** The message of whatever was thrown. */
export function errorText(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  if (typeof error === "string") return error;
  const message = field(error, "message");
  return typeof message === "string" ? message : "an unknown error";
}

/** LangGraph ends a task by throwing when it waits for a human. */
export const isInterruptError = (error: unknown): boolean =>
  isNamed(error, "GraphInterrupt") || isNamed(error, "NodeInterrupt");

/** LangGraph hands a command to the parent graph by throwing it. */
export const isParentCommand = (error: unknown): boolean => isNamed(error, "ParentCommand");

const statusMeaning: Record<string, string> = {
  "400": "the provider did not accept the request",
  "401": "the provider did not accept the key",
  "403": "the provider refused access",
  "404": "the provider does not know the model",
  "408": "the provider took too long",
  "413": "the request was too large for the model",
  "429": "the provider's rate limit or quota is reached",
  "529": "the provider is overloaded",
};

function modelMessage(error: object, redact: RedactText): string {
  const status = providerStatus(error);
  const text = redact(errorText(error));
  if (status === null) return `The model call failed: ${text}`;
  const meaning = statusMeaning[status] ?? (status.startsWith("5") ? "the provider had an error" : null);
  return `The model call failed (${status}${meaning === null ? "" : `, ${meaning}`}): ${text}`;
}

/** The error and its causes, each once. */
function causes(error: unknown): object[] {
  const chain: object[] = [];
  let link: unknown = error;
  while (typeof link === "object" && link !== null && !chain.includes(link) && chain.length < 10) {
    chain.push(link);
    link = field(link, "cause");
  }
  return chain;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

const isNamed = (error: unknown, name: string, code?: string): boolean =>
  field(error, "name") === name || (code !== undefined && field(error, "lc_error_code") === code);
