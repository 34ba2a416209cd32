import { type Authority, Refusal, type Role, roles } from "@wheelhouse/domain";
import type { RuntimeDeps } from "@wheelhouse/runtime";
import type { PrismaClient, RowReader } from "@wheelhouse/storage/models";
import type { LiveRoom } from "./live-room.ts";
import type { Transport } from "./subscribers.ts";

/** Who is behind a request, once the door has recognised them. */
export interface Caller {
  authority: Authority;
  /** Null for API keys. */
  email: string | null;
  /** Administrators of the installation, not of one project. */
  isAdmin: boolean;
  /** Every project that the caller may choose. */
  projectIds: readonly string[];
}

/** What every resolver is given. One per operation; batches of nested reads live and die with it. */
export interface GraphContext {
  requestId: string;
  /** Null when nobody signed in. */
  caller: Caller | null;
  prisma: PrismaClient;
  /** Lists below many rows at once. */
  rows: RowReader;
  runtime: RuntimeDeps;
  /** What the live readers of this process share. */
  live: LiveRoom;
  /** How the answer travels, when it is a stream. */
  transport: Transport;
  /** Asked again and again while a subscription lasts: false ends it. */
  stillAllowed: () => Promise<boolean>;
}

/** The caller's authority; refuses when nobody signed in. */
export function authorityOf(context: GraphContext): Authority {
  if (context.caller === null) throw new Refusal("UNAUTHENTICATED", "Sign in, or send an API key");
  return context.caller.authority;
}

/** The caller's authority when their role reaches `least`; refuses otherwise. */
export function authorityWithRole(context: GraphContext, least: Role): Authority {
  const authority = authorityOf(context);
  if (roles.indexOf(authority.role) < roles.indexOf(least))
    throw new Refusal("FORBIDDEN", `This needs the role ${least}`);
  return authority;
}
