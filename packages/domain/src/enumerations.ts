// The closed lists that only the database and its readers need. Statuses and their transitions are in status.ts.

export const apiKeyReaches = ["EXACT", "PROJECT"] as const;
export const actorKinds = ["USER", "API_KEY", "SYSTEM"] as const;
export const interruptKinds = ["TOOL_APPROVAL", "QUESTION"] as const;
export const modelCallTypes = ["LLM", "EMBEDDING"] as const;
export const modelCallStatuses = ["OK", "ERROR", "CANCELLED"] as const;
export const configKinds = ["PROVIDER", "TOOL", "SKILL", "AGENT", "MCP_SERVER", "SANDBOX_PROFILE", "DEFAULTS"] as const;
export const configOperations = ["CREATED", "UPDATED", "DELETED", "LABELLED"] as const;
export const artifactKinds = [
  "ARTIFACT",
  "FILE",
  "MEMORY",
  "CONTRACT",
  "EVALUATION",
  "POLICY",
  "SCRATCH",
  "PAYLOAD",
] as const;
export const bodyStores = ["database", "directory", "s3"] as const;
export const feedbackKinds = ["THUMBS", "SCORE", "COMMENT"] as const;
export const jobStatuses = ["QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"] as const;
export const deliveryStatuses = ["PENDING", "DELIVERED", "FAILED"] as const;
