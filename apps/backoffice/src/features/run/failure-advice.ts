import { FailureCode } from "@wheelhouse/domain";

interface Advice {
  title: string;
  /** What an operator can do about it. */
  advice: string;
}

const again = "Retry it, or send another message: the conversation goes on.";

const advices: Record<FailureCode, Advice> = {
  MODEL_ERROR: { title: "The model did not answer", advice: `The provider refused or was overloaded. ${again}` },
  TOOL_ERROR: { title: "A tool failed", advice: `The failed step holds the tool's arguments and its error. ${again}` },
  GRAPH_ERROR: {
    title: "The agent's code failed",
    advice: "Trying again ends the same way until the graph is corrected; the failed step names the node.",
  },
  RECURSION_LIMIT: {
    title: "The agent went round in circles",
    advice: "It took more steps than its recursion limit allows. Raise the limit, or look where the steps repeat.",
  },
  EXECUTION_TIMEOUT: { title: "The run took too long", advice: `It was stopped at its time limit. ${again}` },
  QUEUE_TIMEOUT: {
    title: "No worker was free",
    advice: `The run waited too long to begin; see whether workers are up. ${again}`,
  },
  WORKER_LOST: {
    title: "The worker was lost",
    advice: `Every takeover of this run ended too; something in it may end the process. ${again}`,
  },
  CONFIG_INVALID: {
    title: "The agent is not configured correctly",
    advice: "Correct the definition named in the message, then send again.",
  },
  AGENT_NOT_FOUND: {
    title: "The agent no longer exists",
    advice: "Restore its definition or its code, then send again.",
  },
  INTERRUPT_EXPIRED: { title: "Nobody decided in time", advice: `The request for a decision expired. ${again}` },
  BUDGET_EXCEEDED: { title: "The budget is used up", advice: "Raise the budget of the project, then send again." },
  OUTPUT_TOO_LARGE: {
    title: "The output was too large",
    advice: "The failed step names the output; let the agent ask for less at once.",
  },
  INTERNAL: {
    title: "Something went wrong inside",
    advice: `The server's log knows more under the id of the run. ${again}`,
  },
};

/** A failure code in words, with what to do about it; codes of newer servers get a general answer. */
export function adviceFor(code: string | null): Advice {
  const known = FailureCode.safeParse(code);
  return known.success ? advices[known.data] : { title: "The run failed", advice: again };
}
