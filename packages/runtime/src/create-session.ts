import { type Authority, Refusal } from "@wheelhouse/domain";
import { digestOf } from "@wheelhouse/domain/digest";
import type { CreateSessionOutcome, SessionRecord } from "@wheelhouse/storage";
import { checkMetadata, checkName, requireRole } from "./check-input.ts";
import type { RuntimeDeps } from "./deps.ts";
import { drawAgent, registerAgent, resolveAgent } from "./resolve-agent.ts";

export interface CreateSessionInput {
  agent: string;
  externalId?: string | null | undefined;
  title?: string | null | undefined;
  metadata?: unknown;
  idempotencyKey?: string | null | undefined;
}

/** Makes a session of an agent, or answers with the one that has the external id or was made with the key. */
export async function createSession(
  deps: RuntimeDeps,
  authority: Authority,
  input: CreateSessionInput,
): Promise<{ session: SessionRecord; created: boolean }> {
  requireRole(authority, "OPERATOR");
  const externalId = checkName("externalId", input.externalId);
  const idempotencyKey = checkName("idempotencyKey", input.idempotencyKey);
  const title = checkName("title", input.title);
  const metadata = checkMetadata("metadata", input.metadata, deps.tunables.maxMetadataBytes);
  const agent = await resolveAgent(deps, authority, input.agent);
  const create = (): Promise<CreateSessionOutcome> =>
    deps.storage.sessions.create(authority, {
      agentName: agent.name,
      externalId,
      idempotencyKey,
      requestFingerprint: digestOf({ agent: agent.name, externalId, title, metadata }),
      create: { id: deps.newId(), threadId: deps.newId(), title, metadata },
      at: deps.clock.now(),
    });
  let outcome = await create();
  if (outcome.outcome === "agentNotFound") {
    // The registry knows it and the project does not yet: its row appears with its first use.
    await registerAgent(deps, authority.projectId, agent, await drawAgent(deps, agent));
    outcome = await create();
  }
  switch (outcome.outcome) {
    case "created":
    case "existing":
      return { session: outcome.session, created: outcome.outcome === "created" };
    case "idempotencyConflict":
      throw new Refusal("IDEMPOTENCY_CONFLICT", "Another request was made with this idempotency key", {
        detail: { sessionId: outcome.sessionId },
      });
    case "agentNotFound":
      throw new Refusal("AGENT_NOT_FOUND", `There is no agent named ${JSON.stringify(agent.name)}`);
  }
}
