import { Refusal } from "@wheelhouse/domain";

/** The nouns that have a global id. */
export const nodeTypes = [
  "Session",
  "Task",
  "Run",
  "Step",
  "Message",
  "ModelCall",
  "Interrupt",
  "Agent",
  "Project",
  "Schedule",
  "Webhook",
  "WebhookDelivery",
  "ConfigEntity",
  "Artifact",
  "ArtifactVersion",
] as const;
export type NodeType = (typeof nodeTypes)[number];

const shape = /^([A-Za-z]+)_([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;

/** `Session_0190…`: the noun and the row's id. */
export const globalId = (type: NodeType, id: string): string => `${type}_${id}`;

/** Takes a global id apart; refuses with INVALID_ID when it is none. */
export function parseGlobalId(value: string): { type: NodeType; id: string } {
  const match = shape.exec(value);
  const type = nodeTypes.find((known) => known === match?.[1]);
  if (match?.[2] === undefined || type === undefined)
    throw new Refusal("INVALID_ID", "The id is not one of this API's ids (they look like Session_0190…)");
  return { type, id: match[2] };
}

/** The row id of a global id that must be of `type`; refuses with INVALID_ID otherwise. `path` names the argument. */
export function rowIdOf(type: NodeType, value: string, path: string): string {
  const parsed = parseGlobalIdAt(value, path);
  if (parsed.type !== type)
    throw new Refusal("INVALID_ID", `${path}: this is the id of a ${parsed.type}, a ${type} is wanted`, {
      issues: [{ path, message: `a ${type} id is wanted` }],
    });
  return parsed.id;
}

function parseGlobalIdAt(value: string, path: string): { type: NodeType; id: string } {
  try {
    return parseGlobalId(value);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(error.code, `${path}: ${error.message}`, { issues: [{ path, message: error.message }] });
  }
}
