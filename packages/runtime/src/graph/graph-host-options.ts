import type { Clock, NewId, ResolvedAgentDefinition, Scope } from "@wheelhouse/domain";
import type { Log } from "../deps.ts";
import type { OutgoingHttp } from "../outgoing-http.ts";
import type { PersistenceConfig } from "./persistence.ts";
import type { ScriptedModelOptions } from "./scripted-model.ts";

/** A graph that the host program registered: compiled, an entrypoint of the functional API, or a factory of either. */
export interface RegisteredGraph {
  graph: unknown;
}

/** What a factory of a registered graph is given. It runs once per manifest digest, not per run. */
export interface GraphFactoryContext {
  agent: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** What a running graph finds under `config.configurable`, beside `thread_id`. */
export interface GraphConfigurable {
  thread_id: string;
  wheelhouse_run: string;
  /** Grows with every takeover of the run. */
  wheelhouse_generation: number;
  /** One execution of the run: a run that is taken over has another, and the one before writes nothing more. */
  wheelhouse_execution: string;
  wheelhouse_session: string;
  wheelhouse_task: string;
  /** Grows with every attempt at the same task. */
  wheelhouse_attempt: number;
  wheelhouse_scope: Scope;
  /**
   * Only in a tool: the same whenever the step that calls it is repeated, after a crash or with a human's answer. Two
   * calls never have the same one.
   */
  wheelhouse_idempotency_key?: string;
}

export interface GraphHostLimits {
  /** How long an aborted graph may take to stop by itself before its run ends without it, milliseconds. */
  abortGraceMs: number;
  /** A tool that returns more fails the run, UTF-8 bytes. */
  maxToolOutputBytes: number;
  /** How long a human may take to answer, milliseconds. */
  interruptTtlMs: number;
  /** Compiled graphs kept, by manifest digest. One holds some hundred kilobytes. */
  maxCompiledGraphs: number;
  /** Pause between the pieces that scripted models stream, milliseconds. */
  scriptedDelayMs: number;
  /** An MCP server that offers an agent more tools than this is refused. */
  maxMcpTools: number;
  /** Connections to MCP servers kept between runs, by server and scope; those of running runs stay beyond it. */
  maxMcpConnections: number;
  /** A connection that no run uses is closed after this time, milliseconds. */
  mcpIdleMs: number;
  /** What an MCP server lists, and what was seen of it, counts for this time, milliseconds. */
  mcpFreshMs: number;
}

export const defaultGraphHostLimits: GraphHostLimits = {
  abortGraceMs: 500,
  maxToolOutputBytes: 2_000_000,
  interruptTtlMs: 86_400_000,
  maxCompiledGraphs: 200,
  scriptedDelayMs: 20,
  maxMcpTools: 200,
  maxMcpConnections: 200,
  mcpIdleMs: 300_000,
  mcpFreshMs: 60_000,
};

export interface GraphHostOptions {
  persistence: PersistenceConfig;
  /** By agent name. */
  codeAgents?: Readonly<Record<string, RegisteredGraph>>;
  /** LangChain tools that definitions may name. */
  tools?: readonly { name: string }[];
  /** Models of the provider `scripted` that definitions may name, beside the built-in ones. */
  scripts?: Readonly<Record<string, ScriptedModelOptions["turns"]>>;
  /** The definition of a subagent that a definition names; null when there is none. */
  loadSubagent?: (name: string) => Promise<ResolvedAgentDefinition | null>;
  /** Through it go all calls to addresses that definitions name. */
  outgoing: OutgoingHttp;
  /** Where provider keys are looked up. The process's own environment is never read. */
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  newId: NewId;
  log: Log;
  limits?: Partial<GraphHostLimits>;
}
