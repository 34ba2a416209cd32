import { z } from "zod";

/**
 * What a schedule does when it is due while its session works, or while its task before has not ended. SKIP leaves this
 * time out; ENQUEUE and INTERRUPT are the busy policies of the same names; ALLOW lets several sessions work at once.
 */
export const overlapPolicies = ["SKIP", "ENQUEUE", "INTERRUPT", "ALLOW"] as const;
export const OverlapPolicy = z.enum(overlapPolicies);
export type OverlapPolicy = z.infer<typeof OverlapPolicy>;

/** Where a schedule works: in one session that goes on and on, or in a new one each time. */
export const sessionPolicies = ["SAME", "NEW"] as const;
export const SessionPolicy = z.enum(sessionPolicies);
export type SessionPolicy = z.infer<typeof SessionPolicy>;
