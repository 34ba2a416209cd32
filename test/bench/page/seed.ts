import pg from "pg";
import { openWorld, type World } from "../world.ts";

/**
 * Fills a database with `sessions` conversations of six messages and one run each, by twenty agents, over thirty days.
 * Everything is computed from the row's number, so two databases of one size are equal.
 */
export async function seedConversations(url: string, sessions: number): Promise<World> {
  const world = await openWorld(url);
  const client = new pg.Client({ connectionString: url, options: "-c timezone=UTC" });
  await client.connect();
  const values = [world.projectId, world.authority.scopeKey, JSON.stringify(world.authority.scope)];
  await client.query("BEGIN");
  for (const statement of statements(sessions)) {
    const used = Math.max(...[...statement.matchAll(/\$(\d)/g)].map((match) => Number(match[1])));
    await client.query(statement, values.slice(0, used));
  }
  await client.query("COMMIT");
  await client.query("ANALYZE");
  await client.end();
  return world;
}

const uuid = (kind: string, number: string): string =>
  `('01900000-0000-7000-8000-${kind}' || lpad(to_hex(${number}), 8, '0'))`;
const at = (number: string): string => `(timestamp '2026-11-30 00:00' - ${number} * interval '4 minutes')`;

const statements = (sessions: number): string[] => [
  `INSERT INTO agents (id, project_id, scope_key, scope, name, display_name, source, created_at, updated_at)
   SELECT ${uuid("aaaa", "n")}, $1::text, $2::text, $3::jsonb, 'agent-' || n, 'Agent ' || n, 'CODE', now(), now()
   FROM generate_series(0, 19) n`,
  `INSERT INTO sessions (id, project_id, scope_key, scope, agent_id, thread_id, title, status, last_sequence,
     last_message_seq, run_count, task_count, message_count, first_message, last_message, last_activity_at, created_at, updated_at)
   SELECT ${uuid("5555", "n")}, $1::text, $2::text, $3::jsonb, ${uuid("aaaa", "n % 20")}, ${uuid("7777", "n")},
     'Conversation ' || n, 'IDLE', 0, 6, 1, 1, 6, 'First words of ' || n, 'Last words of ' || n, ${at("n")}, ${at("n")}, ${at("n")}
   FROM generate_series(0, ${sessions - 1}) n`,
  `INSERT INTO tasks (id, session_id, project_id, agent_id, scope_key, status, input, request_fingerprint, created_at, updated_at)
   SELECT ${uuid("6666", "n")}, ${uuid("5555", "n")}, $1::text, ${uuid("aaaa", "n % 20")}, $2::text, 'COMPLETED', '{}', 'seed', ${at("n")}, ${at("n")}
   FROM generate_series(0, ${sessions - 1}) n`,
  `INSERT INTO runs (id, session_id, task_id, project_id, agent_id, scope_key, status, input, manifest, manifest_digest,
     queued_at, started_at, finished_at, duration_ms, busy_policy, created_at, updated_at)
   SELECT ${uuid("9999", "n")}, ${uuid("5555", "n")}, ${uuid("6666", "n")}, $1::text, ${uuid("aaaa", "n % 20")}, $2::text,
     'SUCCEEDED', '{}', '{}', 'seed', ${at("n")}, ${at("n")}, ${at("n")}, 1000 + n % 5000, 'REJECT', ${at("n")}, ${at("n")}
   FROM generate_series(0, ${sessions - 1}) n`,
  `UPDATE sessions SET last_run_id = replace(id, '-5555', '-9999')`,
  `INSERT INTO messages (id, session_id, project_id, scope_key, run_id, task_id, role, content, seq, langgraph_message_id, created_at, updated_at)
   SELECT ${uuid("cccc", "n * 8 + m")}, ${uuid("5555", "n")}, $1::text, $2::text, ${uuid("9999", "n")}, ${uuid("6666", "n")},
     CASE m % 2 WHEN 1 THEN 'USER' ELSE 'ASSISTANT' END,
     repeat('What was said in ' || n || ', ' || m || '. ', 2 + (n * 7 + m * 13) % 16), m, 'm' || m, ${at("n")}, ${at("n")}
   FROM generate_series(0, ${sessions - 1}) n, generate_series(1, 6) m`,
];
