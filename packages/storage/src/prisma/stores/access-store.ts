import { Scope } from "@wheelhouse/domain";
import { z } from "zod";
import type { AccessStore, ApiKeyRecord, ProjectRecord } from "../../port.ts";
import { noJson, type Prisma } from "../models.ts";
import { json, select, text, timeOrNull } from "../rows.ts";
import type { Row } from "../sql.ts";
import type { StoreContext } from "./context.ts";

const Permissions = z.array(z.string());
const Reach = z.enum(["EXACT", "PROJECT"]);
const projectColumns = { id: true, slug: true, name: true } as const;
const withSlug = { project: { select: { slug: true } } } as const;

/** How often `lastUsedAt` is written for a key that is used all the time. */
const touchEveryMs = 60_000;

type ApiKeyRow = Prisma.ApiKeyGetPayload<{ include: typeof withSlug }>;

const apiKeyOf = (row: ApiKeyRow): ApiKeyRecord => ({
  id: row.id,
  projectId: row.projectId,
  projectSlug: row.project.slug,
  name: row.name,
  prefix: row.prefix,
  secretHash: row.secretHash,
  permissions: Permissions.parse(row.permissions),
  reach: Reach.parse(row.reach),
  fixedScope: row.fixedScope === null ? null : Scope.parse(row.fixedScope),
  expiresAt: row.expiresAt,
  revokedAt: row.revokedAt,
});

const keyColumns = [
  "id",
  "project_id",
  "name",
  "prefix",
  "secret_hash",
  "permissions",
  "reach",
  "fixed_scope",
  "expires_at",
  "revoked_at",
] as const;

const joinedApiKey = (row: Row): ApiKeyRecord => ({
  id: text(row, "k_id"),
  projectId: text(row, "k_project_id"),
  projectSlug: text(row, "p_slug"),
  name: text(row, "k_name"),
  prefix: text(row, "k_prefix"),
  secretHash: text(row, "k_secret_hash"),
  permissions: Permissions.parse(json(row, "k_permissions")),
  reach: Reach.parse(row.k_reach),
  fixedScope: Scope.nullable().parse(json(row, "k_fixed_scope")),
  expiresAt: timeOrNull(row, "k_expires_at"),
  revokedAt: timeOrNull(row, "k_revoked_at"),
});

/** Users, projects and keys. Cold paths go through the models. */
export function accessStore({ db, models, newId }: StoreContext): AccessStore {
  return {
    ensureProject: ({ slug, name, at }): Promise<ProjectRecord> =>
      models.project.upsert({
        where: { slug },
        create: { id: newId(), slug, name, createdAt: at, updatedAt: at },
        update: {},
        select: projectColumns,
      }),
    projectBySlug: (slug) => models.project.findUnique({ where: { slug }, select: projectColumns }),
    countUsers: () => models.user.count(),
    async grantMembership({ projectId, userId, role, at }) {
      await models.membership.upsert({
        where: { projectId_userId: { projectId, userId } },
        create: { id: newId(), projectId, userId, role, createdAt: at, updatedAt: at },
        update: { role, updatedAt: at },
      });
    },
    async membershipsOf(userId) {
      const rows = await models.membership.findMany({
        where: { userId },
        orderBy: { createdAt: "asc" },
        select: { role: true, project: { select: projectColumns } },
      });
      return rows.map(({ role, project }) => ({ role, project }));
    },
    async createApiKey({ at, fixedScope, ...key }) {
      const row = await models.apiKey.create({
        data: { ...key, id: newId(), fixedScope: fixedScope ?? noJson, createdAt: at, updatedAt: at },
        include: withSlug,
      });
      return apiKeyOf(row);
    },
    async apiKeyByPrefix(prefix) {
      // Asked by every request of an application, so one statement.
      const [row] = await db.query(
        `SELECT ${select("k", keyColumns, "k_")}, p.slug AS p_slug FROM api_keys k JOIN projects p ON p.id = k.project_id
         WHERE k.prefix = $1`,
        [prefix],
      );
      return row === undefined ? null : joinedApiKey(row);
    },
    async apiKeys(projectId) {
      const rows = await models.apiKey.findMany({
        where: { projectId },
        orderBy: [{ createdAt: "desc" }, { id: "desc" }],
        include: withSlug,
      });
      return rows.map((row) => ({ ...apiKeyOf(row), lastUsedAt: row.lastUsedAt, createdAt: row.createdAt }));
    },
    async revokeApiKey(prefix, at) {
      const { count } = await models.apiKey.updateMany({
        where: { prefix, revokedAt: null },
        data: { revokedAt: at, updatedAt: at },
      });
      return count > 0;
    },
    async touchApiKey(id, at) {
      await models.apiKey.updateMany({
        where: { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: new Date(at.getTime() - touchEveryMs) } }] },
        data: { lastUsedAt: at },
      });
    },
  };
}
