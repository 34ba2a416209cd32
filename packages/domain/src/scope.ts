import { z } from "zod";

/** The trusted keys of a caller. Always contains `project`; never comes from a request body or a model. */
export const Scope = z.record(z.string().regex(/^[a-z][a-z0-9_]{0,62}$/), z.string().min(1).max(500));
export type Scope = z.infer<typeof Scope>;

/** Whether every key of `part` is in `whole` with the same value. */
export const isSubset = (part: Scope, whole: Scope): boolean =>
  Object.entries(part).every(([key, value]) => whole[key] === value);

/** Whether two scopes are the same, key by key. Rows are compared with this after their key matched. */
export const sameScope = (a: Scope, b: Scope): boolean =>
  Object.keys(a).length === Object.keys(b).length && isSubset(a, b);
