import { type Authority, notFound, Refusal } from "@wheelhouse/domain";
import { requireRole } from "./check-input.ts";

// Schedules and webhooks belong to a whole project. For a caller of one scope in it there are none.

/** Refuses callers who may not make what belongs to the project. */
export function requireProjectReach(authority: Authority): void {
  requireRole(authority, "OPERATOR");
  if (authority.reach !== "PROJECT")
    throw new Refusal("FORBIDDEN", "This belongs to the whole project; an API key of exact reach cannot make it");
}

/** What was found, or the refusal that it does not exist for this caller. */
export function found<T>(noun: string, value: T | null): T {
  if (value === null) throw notFound(noun);
  return value;
}
