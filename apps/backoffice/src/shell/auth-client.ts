import { createAuthClient } from "better-auth/react";

/** Signing in and out, against `/api/auth` of the same origin. */
export const authClient = createAuthClient();
