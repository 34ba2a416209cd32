import { type AgentSource, canonicalJson, type Scope } from "@wheelhouse/domain";
import { scopeKeyOf } from "@wheelhouse/domain/digest";
import type { AgentStore } from "../../port.ts";
import type { AgentRecord } from "../../records.ts";
import { agentOf, agentSelect, text } from "../rows.ts";
import type { Tx } from "../sql.ts";
import type { StoreContext } from "./context.ts";

const conflict = `ON CONFLICT (project_id, scope_key, name) DO UPDATE SET display_name = excluded.display_name,
  description = excluded.description, input_schema = excluded.input_schema, output_schema = excluded.output_schema,
  graph = excluded.graph, source = excluded.source, removed_at = NULL, updated_at = excluded.updated_at
  WHERE agents.config_entity_id IS NULL`;

export function agentStore(context: StoreContext): AgentStore {
  return {
    register: (projectId, agent) =>
      context.db.transaction(async (tx): Promise<AgentRecord> => {
        const [project] = await tx.query("SELECT slug FROM projects WHERE id = $1", [projectId]);
        if (project === undefined) throw new Error("An agent is registered in a project that does not exist");
        const scope: Scope = { project: text(project, "slug") };
        tx.write([
          {
            op: "insert",
            table: "agents",
            conflict,
            rows: [
              {
                id: context.newId(),
                project_id: projectId,
                scope,
                scope_key: scopeKeyOf(scope),
                name: agent.name,
                display_name: agent.displayName,
                description: agent.description,
                input_schema: agent.inputSchema,
                output_schema: agent.outputSchema,
                graph: agent.graph,
                source: agent.source satisfies AgentSource,
                created_at: agent.at,
                updated_at: agent.at,
              },
            ],
          },
        ]);
        const [row] = await tx.query(
          `SELECT ${agentSelect} FROM agents a WHERE a.project_id = $1 AND a.scope_key = $2 AND a.name = $3`,
          [projectId, scopeKeyOf(scope), agent.name],
        );
        if (row === undefined) throw new Error("The agent is gone right after it was registered");
        return agentOf(row);
      }),
    draw: (projectId, { configEntityId, revision, graph, at }) =>
      context.db.transaction(async (tx) => {
        const [row] = await tx.query(
          `SELECT a.id FROM config_entities e JOIN agents a
             ON a.project_id = e.project_id AND a.scope_key = e.scope_key AND a.name = e.name AND a.config_entity_id = e.id
           WHERE e.project_id = $1 AND e.id = $2 AND e.revision = $3 ${context.dialect.lock("a")}`,
          [projectId, configEntityId, revision],
        );
        if (row !== undefined)
          tx.write([{ op: "update", table: "agents", rows: [{ id: text(row, "id"), graph, updated_at: at }] }]);
      }),
  };
}

/** The agent of this name that a scope runs: of those defined at a part of it, the most specific. Its id, or null. */
export async function findAgentId(
  tx: Pick<Tx, "query">,
  of: { projectId: string; name: string; scopeKeys: readonly string[] },
  context: StoreContext,
): Promise<string | null> {
  const rows = await tx.query(
    `SELECT a.id, a.scope_key FROM agents a WHERE a.project_id = $1 AND a.name = $2 AND a.removed_at IS NULL
     AND ${context.dialect.inList("a.scope_key", 3)}`,
    [of.projectId, of.name, of.scopeKeys],
  );
  const rank = new Map(of.scopeKeys.map((key, i) => [key, i]));
  const ranked = rows.map((row) => ({ id: text(row, "id"), rank: rank.get(text(row, "scope_key")) ?? -1 }));
  ranked.sort((a, b) => b.rank - a.rank);
  return ranked[0]?.id ?? null;
}

/** A scope as it is written in a row: the text that `jsonEquals` compares with. */
export const scopeText = (scope: Scope): string => canonicalJson(scope);
