import {
  agentModes,
  agentSources,
  artifactKinds,
  busyPolicies,
  candidateVerdicts,
  configKinds,
  configOperations,
  decisions,
  deliveryEvents,
  deliveryStatuses,
  eventVisibilities,
  messageRoles,
  overlapPolicies,
  roles,
  runStatuses,
  sessionPolicies,
  sessionStatuses,
  stepKinds,
  stepStatuses,
  taskStatuses,
  usageStatuses,
  webhookEvents,
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
export const AgentMode = enumeration(
  "AgentMode",
  agentModes,
  "Who works with an agent: people, other agents that hand work to it, or both.",
);
export const ConfigSource = enumeration("ConfigSource", agentSources, "Where a definition comes from.");
export const ConfigKind = enumeration("ConfigKind", configKinds, "What a definition is of.");
export const ConfigOperation = enumeration("ConfigOperation", configOperations, "What happened to a definition.");
export const CandidateVerdict = enumeration(
  "CandidateVerdict",
  candidateVerdicts,
  "Whether a definition applies: it won, another one comes first, it is disabled, or it is an agent of another scope.",
);
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

export const OverlapPolicy = enumeration(
  "OverlapPolicy",
  overlapPolicies,
  "What a schedule does when its session works, or its task before has not ended: leave this time out (SKIP), run behind it (ENQUEUE), cancel it (INTERRUPT), or run beside it in a session of its own (ALLOW).",
);
export const SessionPolicy = enumeration(
  "SessionPolicy",
  sessionPolicies,
  "Where a schedule works: in one session that goes on (SAME), or in a new one each time (NEW).",
);

/** `task.completed` is TASK_COMPLETED here: a GraphQL name has no dots. */
const dotted = <const Values extends readonly string[]>(name: string, values: Values, description: string) =>
  builder.enumType(name, {
    values: Object.fromEntries(
      values.map((value: Values[number]) => [value.toUpperCase().replace(".", "_"), { value }]),
    ),
    description,
  });
export const WebhookEvent = dotted("WebhookEvent", webhookEvents, "The moments of a task that webhooks are told of.");
export const DeliveryEvent = dotted("DeliveryEvent", deliveryEvents, "What a message to a webhook is about.");
export const DeliveryStatus = enumeration(
  "DeliveryStatus",
  deliveryStatuses,
  "What became of a message to a webhook: it will be tried (again), it arrived, or it was given up.",
);

export const ArtifactKind = enumeration(
  "ArtifactKind",
  artifactKinds,
  "What an artifact is for; the first name of its path says the same. PAYLOAD is what is too big for a step or an event.",
);
