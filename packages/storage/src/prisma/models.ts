import type { Authority, Scope } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import { Prisma, type PrismaClient } from "../generated/postgresql/client.ts";

export type { Prisma, PrismaClient };

/** Conditions that leave of each model the rows a caller may see. Every read through the models carries its own. */
export interface VisibleTo {
  agent: Prisma.AgentWhereInput;
  session: Prisma.SessionWhereInput;
  task: Prisma.TaskWhereInput;
  run: Prisma.RunWhereInput;
  step: Prisma.StepWhereInput;
  event: Prisma.EventWhereInput;
  message: Prisma.MessageWhereInput;
  interrupt: Prisma.InterruptWhereInput;
  modelCall: Prisma.ModelCallWhereInput;
}

/**
 * The visibility clause of every model that belongs to a scope. Project reach sees the whole project; an exact caller
 * sees its own scope, and the agents that are defined at its scope or at a part of it. Events are of the caller's
 * visibilities only.
 */
export function visibleTo(authority: Authority): VisibleTo {
  const { projectId, scopeKey } = authority;
  const event = { visibility: { in: [...authority.visibilities] } };
  if (authority.reach === "PROJECT") {
    const all = { projectId };
    return {
      agent: all,
      session: all,
      task: all,
      run: all,
      step: all,
      event: { projectId, ...event },
      message: all,
      interrupt: all,
      modelCall: all,
    };
  }
  const own = { projectId, scopeKey };
  const ofSession = { projectId, session: { scopeKey } };
  return {
    agent: { projectId, scopeKey: { in: partsOf(authority.scope).map(scopeKeyOf) } },
    session: own,
    task: own,
    run: own,
    step: ofSession,
    event: { ...ofSession, ...event },
    message: own,
    interrupt: ofSession,
    modelCall: own,
  };
}

/** Every part of a scope that names the project, from the project alone to the whole scope. */
export function partsOf(scope: Scope): Scope[] {
  const { project = "", ...rest } = scope;
  let parts: Scope[] = [{ project }];
  for (const [key, value] of Object.entries(rest)) parts = parts.flatMap((part) => [part, { ...part, [key]: value }]);
  return parts;
}

/** No value in a JSON column, as the models are told. */
export const noJson = Prisma.DbNull;
