import { z } from "zod";

/** A run is one attempt; `QUEUED` and `RUNNING` are active, the others are final. */
export const runStatuses = ["QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED", "INTERRUPTED"] as const;
export const taskStatuses = [
  "SUBMITTED",
  "WORKING",
  "INPUT_REQUIRED",
  "COMPLETED",
  "FAILED",
  "CANCELLED",
  "REJECTED",
] as const;
export const sessionStatuses = ["IDLE", "BUSY", "WAITING", "ERROR", "EXPIRED"] as const;
export const stepKinds = ["NODE", "MODEL", "TOOL", "SUBAGENT", "RETRIEVAL", "MIDDLEWARE"] as const;
export const stepStatuses = ["RUNNING", "COMPLETED", "FAILED", "CANCELLED"] as const;
export const messageRoles = ["USER", "ASSISTANT", "SYSTEM", "TOOL"] as const;
export const decisions = ["APPROVE", "EDIT", "REJECT", "RESPOND"] as const;
export const busyPolicies = ["REJECT", "ENQUEUE", "INTERRUPT", "ROLLBACK"] as const;
export const usageStatuses = ["COMPLETE", "PARTIAL", "UNAVAILABLE"] as const;
export const agentSources = ["FILE", "API", "CODE"] as const;
export const roles = ["VIEWER", "OPERATOR", "EDITOR", "OWNER"] as const;

export const RunStatus = z.enum(runStatuses);
export type RunStatus = z.infer<typeof RunStatus>;
export const TaskStatus = z.enum(taskStatuses);
export type TaskStatus = z.infer<typeof TaskStatus>;
export const SessionStatus = z.enum(sessionStatuses);
export type SessionStatus = z.infer<typeof SessionStatus>;
export const StepKind = z.enum(stepKinds);
export type StepKind = z.infer<typeof StepKind>;
export const StepStatus = z.enum(stepStatuses);
export type StepStatus = z.infer<typeof StepStatus>;
export const MessageRole = z.enum(messageRoles);
export type MessageRole = z.infer<typeof MessageRole>;
export const Decision = z.enum(decisions);
export type Decision = z.infer<typeof Decision>;
export const BusyPolicy = z.enum(busyPolicies);
export type BusyPolicy = z.infer<typeof BusyPolicy>;
export const UsageStatus = z.enum(usageStatuses);
export type UsageStatus = z.infer<typeof UsageStatus>;
export const AgentSource = z.enum(agentSources);
export type AgentSource = z.infer<typeof AgentSource>;
export const Role = z.enum(roles);
export type Role = z.infer<typeof Role>;

/** How a run can end, and what its task and session become with it (specification 3.1). */
export const runEndings = {
  SUCCEEDED: { task: "COMPLETED", session: "IDLE", events: ["run.succeeded", "task.completed"] },
  FAILED: { task: "FAILED", session: "ERROR", events: ["run.failed", "task.failed"] },
  CANCELLED: { task: "CANCELLED", session: "IDLE", events: ["run.cancelled", "task.cancelled"] },
  INTERRUPTED: { task: "INPUT_REQUIRED", session: "WAITING", events: ["run.interrupted", "task.input_required"] },
} as const satisfies Record<string, { task: TaskStatus; session: SessionStatus; events: readonly [string, string] }>;

export type RunEnding = keyof typeof runEndings;

const runTransitions: Record<RunStatus, readonly RunStatus[]> = {
  QUEUED: ["RUNNING", "CANCELLED", "FAILED"],
  RUNNING: ["SUCCEEDED", "FAILED", "CANCELLED", "INTERRUPTED"],
  SUCCEEDED: [],
  FAILED: [],
  CANCELLED: [],
  INTERRUPTED: [],
};

const taskTransitions: Record<TaskStatus, readonly TaskStatus[]> = {
  SUBMITTED: ["WORKING", "CANCELLED", "FAILED", "REJECTED"],
  WORKING: ["COMPLETED", "FAILED", "CANCELLED", "REJECTED", "INPUT_REQUIRED"],
  INPUT_REQUIRED: ["WORKING", "CANCELLED", "FAILED"],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
  REJECTED: [],
};

/** Whether a run may go from one status to the other. */
export const canRunBecome = (from: RunStatus, to: RunStatus): boolean => runTransitions[from].includes(to);

/** Whether a task may go from one status to the other. */
export const canTaskBecome = (from: TaskStatus, to: TaskStatus): boolean => taskTransitions[from].includes(to);

/**
 * Retrying is the one way out of a final state, and a deliberate one: a task that failed or was cancelled becomes WORKING
 * with another run. Nothing else may take it there, so `canTaskBecome` does not know of it.
 */
export const canTaskBeRetried = (status: TaskStatus): boolean => status === "FAILED" || status === "CANCELLED";

export const isActiveRun = (status: RunStatus): boolean => status === "QUEUED" || status === "RUNNING";
export const isFinalTask = (status: TaskStatus): boolean => taskTransitions[status].length === 0;
