import type { ArtifactKind, EventVisibility } from "../../generated/graphql.ts";

const kinds: Record<ArtifactKind, string> = {
  ARTIFACT: "Artifact",
  FILE: "File",
  MEMORY: "Memory",
  CONTRACT: "Contract",
  EVALUATION: "Evaluation",
  POLICY: "Policy",
  SCRATCH: "Scratch",
  PAYLOAD: "Payload",
};

/** What an artifact is for, in a word. */
export const kindLabel = (kind: ArtifactKind): string => kinds[kind];

const readers: Record<EventVisibility, string> = {
  END_USER: "Everyone in its scope",
  OPERATOR: "Operators",
  INTERNAL: "Owners",
};

/** Who an artifact is meant for. */
export const readersLabel = (visibility: EventVisibility): string => readers[visibility];

const actors: Readonly<Record<string, string>> = { USER: "A person", API_KEY: "An API key", SYSTEM: "A run" };

/** Who made a version: what kind of actor, and the actor's id; null when nobody knows. */
export function makerOf(createdBy: string | null): { who: string; id: string } | null {
  if (createdBy === null) return null;
  const [kind = "", ...rest] = createdBy.split(":");
  return { who: actors[kind] ?? kind, id: rest.join(":") };
}
