import { ToolMessage } from "@langchain/core/messages";
import { StructuredTool } from "@langchain/core/tools";
import { interrupt } from "@langchain/langgraph";
import { digestOf, sha256 } from "@wheelhouse/domain/digest";
import type { CallJournal, CallRecord } from "./call-journal.ts";
import { isInterruptError } from "./classify-failure.ts";
import { type ActionRequest, decisionWords, type Review, type ReviewConfig, Reviews } from "./interrupts.ts";

/** Under this key a tool finds its idempotency key in `config.configurable`. */
export const idempotencyKey = "wheelhouse_idempotency_key";
/** Under this key the guard travels in a graph's configuration. */
export const toolCallsKey = "wheelhouse_tool_calls";

/** A call as LangChain makes it. */
interface MadeCall {
  tool: { name: string; metadata?: Record<string, unknown> | undefined };
  args: unknown;
  config: CallConfig;
}

interface CallConfig {
  configurable?: Record<string, unknown>;
  signal?: AbortSignal;
  toolCall?: { id?: string };
}

type Make = (config: CallConfig) => Promise<unknown>;

/**
 * The tool calls of one execution. Each is given a key that is the same whenever its step is repeated; those of tools that
 * must not be repeated are written down, and one that was begun and whose end nobody saw is a human's to decide.
 */
export class ToolCalls {
  readonly #threadId: string;
  readonly #journal: CallJournal;
  readonly #once: ReadonlySet<string>;
  /** By step path: the decisions of a step's calls are taken one after the other, in the order of the calls. */
  readonly #turns = new Map<string, Promise<unknown>>();

  /** `once`: names of the tools that the agent's definition says must not be repeated. */
  constructor(options: { threadId: string; journal: CallJournal; once: ReadonlySet<string> }) {
    this.#threadId = options.threadId;
    this.#journal = options.journal;
    this.#once = options.once;
  }

  /** Makes a call, or answers it from what is known of it. Throws LangGraph's interrupt when a human has to decide. */
  async call(call: MadeCall, make: Make): Promise<unknown> {
    const { tool, config } = call;
    const path = String(config.configurable?.checkpoint_ns ?? "");
    const key = this.#keyOf(call, path);
    const keyed = { ...config, configurable: { ...config.configurable, [idempotencyKey]: key } };
    if (tool.metadata?.repeatable !== false && !this.#once.has(tool.name)) return make(keyed);
    const before = await this.#inTurn(path, () => this.#decide(call, key));
    if (before.state === "ended") return before.result;
    try {
      const result = await make(keyed);
      await this.#journal.end(key, before.answers, result);
      return result;
    } catch (error) {
      // Given up in the middle, nobody knows how far it came; otherwise the tool itself said that it failed, or asks.
      if (isInterruptError(error) || config.signal?.aborted !== true) await this.#journal.forget(key);
      throw error;
    }
  }

  /** The task has come to its end. */
  async end(): Promise<void> {
    await this.#journal.clear();
  }

  /** Made of what a repeated step has in common with the first: of the thread, the step's path and the call's id. */
  #keyOf({ tool, args, config }: MadeCall, path: string): string {
    const callId = config.toolCall?.id ?? `${tool.name} ${digestOf(args ?? null)}`;
    return sha256([this.#threadId, path, callId].join("\n"));
  }

  async #decide(call: MadeCall, key: string): Promise<CallRecord> {
    const known = await this.#journal.read(key);
    // LangGraph counts the questions of a step: those that were answered and used are asked again, to be passed over.
    for (let used = 0; used < (known?.answers ?? 0); used++) ask(call);
    if (known?.state === "ended") return known;
    const answers = known === null ? 0 : known.answers + 1;
    const review = known === null ? null : ask(call);
    if (review !== null && review.type !== "approve") {
      const result = answerOf(call, review);
      await this.#journal.end(key, answers, result);
      return { state: "ended", answers, result };
    }
    await this.#journal.begin(key, answers);
    return { state: "begun", answers };
  }

  async #inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(path) ?? Promise.resolve()).then(work, work);
    this.#turns.set(path, turn);
    return turn;
  }
}

const doubt =
  "The worker was lost while this call was under way. It may have done its work, or not. " +
  "Approve: make the call again. Respond: take your answer for its result. Reject: tell the agent that it failed.";

/** Asks what to do with a call that may have done its work; the answer, when there is one. */
function ask({ tool, args }: MadeCall): Review {
  const actionRequests: ActionRequest[] = [
    {
      name: tool.name,
      args: typeof args === "object" && args !== null ? { ...args } : { input: args },
      description: doubt,
    },
  ];
  const { APPROVE, REJECT, RESPOND } = decisionWords;
  const reviewConfigs: ReviewConfig[] = [{ actionName: tool.name, allowedDecisions: [APPROVE, REJECT, RESPOND] }];
  const { decisions } = Reviews.parse(interrupt({ actionRequests, reviewConfigs }));
  return decisions[0] ?? { type: "reject" };
}

function answerOf({ tool, config }: MadeCall, review: Review): unknown {
  const failed = review.type !== "respond";
  const said = "message" in review ? review.message : undefined;
  const content = said ?? "The call was interrupted and is not made again; whether it did its work is not known.";
  const callId = config.toolCall?.id;
  if (callId === undefined) return content;
  return new ToolMessage({ content, name: tool.name, tool_call_id: callId, ...(failed ? { status: "error" } : {}) });
}

const installed = Symbol("wheelhouse tool calls");

/**
 * Leads every tool call of a run through its ToolCalls.
 *
 * Tools of registered graphs belong to the host program and sit in nodes that cannot be copied; callbacks hear of a call
 * but cannot answer it or give the tool anything. What all tools have in common is the method through which LangChain
 * calls them. Calls outside of a run, and those of another copy of LangChain, are left alone.
 */
export function installToolCalls(): void {
  const { prototype } = StructuredTool;
  if (Reflect.has(prototype, installed)) return;
  const call: unknown = Reflect.get(prototype, "call");
  if (typeof call !== "function") return;
  Reflect.set(prototype, installed, true);
  Reflect.set(
    prototype,
    "call",
    function callInRun(this: StructuredTool, args: unknown, config?: CallConfig, tags?: unknown): Promise<unknown> {
      const make: Make = (given) => Promise.resolve(Reflect.apply(call, this, [args, given, tags]));
      const calls = config?.configurable?.[toolCallsKey];
      if (!(calls instanceof ToolCalls)) return Promise.resolve(Reflect.apply(call, this, [args, config, tags]));
      return calls.call({ tool: this, args, config: config ?? {} }, make);
    },
  );
}
