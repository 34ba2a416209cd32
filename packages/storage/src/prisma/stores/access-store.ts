import { Scope } from "@wheelhouse/domain";
import { z } from "zod";
import type { AccessStore, ApiKeyRecord, ProjectRecord } from "../../port.ts";
import { noJson, type Prisma } from "../models.ts";
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

/** Users, projects and keys. Cold paths, so through the models. */
export function accessStore({ models, newId }: StoreContext): AccessStore {
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
      const row = await models.apiKey.findUnique({ where: { prefix }, include: withSlug });
      return row === null ? null : apiKeyOf(row);
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
