import {
  agentSources,
  busyPolicies,
  decisions,
  eventVisibilities,
  messageRoles,
  roles,
  runStatuses,
  sessionStatuses,
  stepKinds,
  stepStatuses,
  taskStatuses,
  usageStatuses,
} from "@wheelhouse/domain";
import { builder } from "./builder.ts";

const enumeration = <const Values extends readonly string[]>(name: string, values: Values, description: string) =>
  builder.enumType(name, { values, description });

export const SessionStatus = enumeration("SessionStatus", sessionStatuses, "What a conversation is doing.");
export const TaskStatus = enumeration("TaskStatus", taskStatuses, "How far a task is, in A2A's words.");
export const RunStatus = enumeration("RunStatus", runStatuses, "QUEUED and RUNNING are active, the others are final.");
export const StepKind = enumeration("StepKind", stepKinds, "What a step executed.");
export const StepStatus = enumeration("StepStatus", stepStatuses, "How a step ended, or that it runs.");
export const MessageRole = enumeration("MessageRole", messageRoles, "Who speaks.");
export const Decision = enumeration("Decision", decisions, "A human's answer to an interrupt.");
export const BusyPolicy = enumeration(
  "BusyPolicy",
  busyPolicies,
  "What to do when the session has an active run: refuse, run after it, cancel it, or cancel it and undo what it did.",
);
export const UsageStatus = enumeration(
  "UsageStatus",
  usageStatuses,
  "Whether every model call reported its tokens, some did, or none.",
);
export const ConfigSource = enumeration("ConfigSource", agentSources, "Where a definition comes from.");
export const Role = enumeration("Role", roles, "What a member may do; each role includes the ones before it.");
export const EventVisibility = enumeration("EventVisibility", eventVisibilities, "Who an event is meant for.");

export const modelCallTypes = ["LLM", "EMBEDDING"] as const;
export const ModelCallType = enumeration("ModelCallType", modelCallTypes, "What was asked of the provider.");
export const modelCallStatuses = ["OK", "ERROR", "CANCELLED"] as const;
export const ModelCallStatus = enumeration("ModelCallStatus", modelCallStatuses, "How a call to a provider ended.");

export const SessionOrder = enumeration(
  "SessionOrder",
  ["LAST_ACTIVITY_DESC", "LAST_ACTIVITY_ASC", "CREATED_DESC", "CREATED_ASC"],
  "The order of a list of sessions.",
);
