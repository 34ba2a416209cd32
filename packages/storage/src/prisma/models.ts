import { type Authority, type Scope, scopeParts } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import { Prisma, type PrismaClient } from "../generated/postgresql/client.ts";

export type { Below, RowReader } from "./row-reader.ts";
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
  schedule: Prisma.ScheduleWhereInput;
  webhook: Prisma.WebhookWhereInput;
  webhookDelivery: Prisma.WebhookDeliveryWhereInput;
  configEntity: Prisma.ConfigEntityWhereInput;
  artifact: Prisma.ArtifactWhereInput;
  artifactVersion: Prisma.ArtifactVersionWhereInput;
}

/**
 * The visibility clause of every model that belongs to a scope. Project reach sees the whole project; an exact caller
 * sees its own scope, and the agents that are defined at its scope or at a part of it. Events are of the caller's
 * visibilities only.
 */
export function visibleTo(authority: Authority): VisibleTo {
  const { projectId, scopeKey } = authority;
  const event = { visibility: { in: [...authority.visibilities] } };
  // Artifacts are told of in events, and are for the same eyes.
  const artifact = { projectId, ...event };
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
      schedule: all,
      webhook: all,
      webhookDelivery: all,
      configEntity: all,
      artifact,
      artifactVersion: { artifact },
    };
  }
  const own = { projectId, scopeKey };
  const none = { projectId, id: { in: [] } };
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
    // They belong to the project, not to a scope in it.
    schedule: none,
    webhook: none,
    webhookDelivery: none,
    configEntity: { projectId, scopeKey: { in: scopeParts(authority.scope).map(scopeKeyOf) } },
    artifact: { ...artifact, scopeKey },
    artifactVersion: { artifact: { ...artifact, scopeKey } },
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
