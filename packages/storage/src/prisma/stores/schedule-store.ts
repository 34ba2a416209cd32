import { type Authority, OverlapPolicy, Scope, SessionPolicy } from "@wheelhouse/domain";
import type { SaveScheduleOutcome, ScheduleRecord, ScheduleSettings, ScheduleStore } from "../../schedules.ts";
import { flag, json, select, text, textOrNull, timeOrNull } from "../rows.ts";
import type { Row, Tx } from "../sql.ts";
import type { Values } from "../write-set.ts";
import type { StoreContext } from "./context.ts";
import { Params, visibleInProject } from "./visible-rows.ts";

const columns = [
  "id",
  "project_id",
  "name",
  "cron",
  "time_zone",
  "overlap_policy",
  "session_policy",
  "agent_name",
  "scope",
  "input",
  "enabled",
  "next_at",
  "last_at",
  "last_task_id",
  "last_error",
] as const;
const selected = `SELECT ${select("c", columns, "c_")}, p.slug AS p_slug
  FROM schedules c JOIN projects p ON p.id = c.project_id`;

const scheduleOf = (row: Row): ScheduleRecord => ({
  id: text(row, "c_id"),
  projectId: text(row, "c_project_id"),
  projectSlug: text(row, "p_slug"),
  name: text(row, "c_name"),
  cron: text(row, "c_cron"),
  timeZone: text(row, "c_time_zone"),
  overlapPolicy: OverlapPolicy.parse(row.c_overlap_policy),
  sessionPolicy: SessionPolicy.parse(row.c_session_policy),
  agentName: text(row, "c_agent_name"),
  scope: Scope.parse(json(row, "c_scope")),
  input: json(row, "c_input"),
  enabled: flag(row, "c_enabled"),
  nextAt: timeOrNull(row, "c_next_at"),
  lastAt: timeOrNull(row, "c_last_at"),
  lastTaskId: textOrNull(row, "c_last_task_id"),
  lastError: textOrNull(row, "c_last_error"),
});

const settingColumns: Record<keyof ScheduleSettings, string> = {
  name: "name",
  cron: "cron",
  timeZone: "time_zone",
  overlapPolicy: "overlap_policy",
  sessionPolicy: "session_policy",
  agentName: "agent_name",
  scope: "scope",
  input: "input",
  enabled: "enabled",
  nextAt: "next_at",
};

function settingValues(settings: Partial<ScheduleSettings>): Values {
  const given: Readonly<Record<string, unknown>> = settings;
  return Object.fromEntries(
    Object.entries(settingColumns).flatMap(([name, column]) =>
      given[name] === undefined ? [] : [[column, given[name]]],
    ),
  );
}

export function scheduleStore(context: StoreContext): ScheduleStore {
  const { db, dialect } = context;
  const saving = (save: () => Promise<SaveScheduleOutcome>) => orNameTaken(context, save);
  return {
    create: (authority, { id, settings, at }) =>
      saving(async () => {
        if (authority.reach !== "PROJECT") return { outcome: "forbidden" };
        const row = { id, project_id: authority.projectId, ...settingValues(settings), created_at: at, updated_at: at };
        return db.transaction(async (tx) => {
          tx.write([{ op: "insert", table: "schedules", rows: [row] }]);
          return { outcome: "created", schedule: await readSchedule(tx, authority, id) };
        });
      }),
    async get(authority, id) {
      const params = new Params();
      const visible = visibleInProject(authority, params, "c");
      const [row] = await db.query(`${selected} WHERE ${visible} AND c.id = ${params.add(id)}`, params.values);
      return row === undefined ? null : scheduleOf(row);
    },
    update: (authority, id, { settings, at }) =>
      saving(() =>
        db.transaction(async (tx) => {
          const params = new Params();
          const visible = visibleInProject(authority, params, "c");
          const [found] = await tx.query(
            `SELECT c.id FROM schedules c WHERE ${visible} AND c.id = ${params.add(id)} ${dialect.lock("c")}`,
            params.values,
          );
          if (found === undefined) return { outcome: "notFound" };
          tx.write([{ op: "update", table: "schedules", rows: [{ id, ...settingValues(settings), updated_at: at }] }]);
          return { outcome: "updated", schedule: await readSchedule(tx, authority, id) };
        }),
      ),
    async delete(authority, id) {
      const params = new Params();
      const visible = visibleInProject(authority, params, "schedules");
      const gone = await db.query(
        `DELETE FROM schedules WHERE ${visible} AND id = ${params.add(id)} RETURNING id`,
        params.values,
      );
      return gone.length > 0;
    },
    async due({ at, limit }) {
      const rows = await db.query(`${selected} WHERE c.enabled AND c.next_at <= $1 ORDER BY c.next_at, c.id LIMIT $2`, [
        dialect.time(at),
        limit,
      ]);
      return rows.map(scheduleOf);
    },
    async settle({ id, dueAt, nextAt, taskId, error, at }) {
      const rows = await db.query(
        `UPDATE schedules SET next_at = $1, last_at = $2, last_error = $3, last_task_id = coalesce($4, last_task_id),
           updated_at = $5
         WHERE id = $6 AND next_at = $2 RETURNING id`,
        [
          nextAt === null ? null : dialect.time(nextAt),
          dialect.time(dueAt),
          error,
          taskId ?? null,
          dialect.time(at),
          id,
        ],
      );
      return rows.length > 0;
    },
    async noteTask({ id, taskId, at }) {
      await db.query("UPDATE schedules SET last_task_id = $1, updated_at = $2 WHERE id = $3", [
        taskId,
        dialect.time(at),
        id,
      ]);
    },
  };
}

/** A name is unique in its project: the database says so, whoever was first. */
async function orNameTaken(
  { dialect }: StoreContext,
  save: () => Promise<SaveScheduleOutcome>,
): Promise<SaveScheduleOutcome> {
  try {
    return await save();
  } catch (error) {
    if (dialect.isUniqueViolation(error)) return { outcome: "nameTaken" };
    throw error;
  }
}

async function readSchedule(tx: Tx, authority: Authority, id: string): Promise<ScheduleRecord> {
  const [row] = await tx.query(`${selected} WHERE c.project_id = $1 AND c.id = $2`, [authority.projectId, id]);
  if (row === undefined) throw new Error("A schedule is gone right after it was written");
  return scheduleOf(row);
}
