import { visibleTo } from "@wheelhouse/storage/models";
import { builder } from "./builder.ts";
import { connectionType, type Page } from "./connection.ts";
import { authorityOf, type GraphContext } from "./context.ts";
import { countCap, numberKey, type Order, type PageArgs } from "./keyset.ts";
import { rootPage } from "./root-list.ts";

interface RevisionShape {
  id: string;
  revision: number;
  definition: unknown;
  digest: string;
  enabled: boolean;
  reason: string | null;
  author: string | null;
  createdAt: Date;
}

const ConfigRevision = builder.objectRef<RevisionShape>("ConfigRevision").implement({
  description: "A state that a definition had, as a whole. It never changes.",
  fields: (t) => ({
    revision: t.exposeInt("revision", { description: "Its number, from 1." }),
    definition: t.field({ type: "JSON", description: "The definition.", resolve: ({ definition }) => definition }),
    digest: t.exposeString("digest", { description: "SHA-256 hex of the definition's canonical JSON." }),
    enabled: t.exposeBoolean("enabled", { description: "Whether it was enabled." }),
    reason: t.exposeString("reason", { nullable: true, description: "What was said when it was written." }),
    author: t.exposeString("author", { nullable: true, description: "The id of whoever wrote it." }),
    createdAt: t.expose("createdAt", { type: "DateTime", description: "When it was written." }),
  }),
});

export const ConfigRevisionConnection = connectionType<RevisionShape>("ConfigRevision", ConfigRevision);

const newestFirst: Order<RevisionShape, number, { revision: object }, { revision: "asc" | "desc" }> = {
  name: "REVISION_DESC",
  direction: "desc",
  read: (row) => row.revision,
  parse: numberKey,
  where: (revision) => ({ revision }),
  orderBy: (revision) => ({ revision }),
};

/** What a definition is, as far as its history asks. Files and code have the one state that they are in. */
type Owner = Omit<RevisionShape, "reason" | "author"> & { source: string; updatedAt: Date };

export function revisionsOf(context: GraphContext, owner: Owner, args: PageArgs): Page<RevisionShape> {
  const entity = { AND: [visibleTo(authorityOf(context)).configEntity, { id: owner.id }] };
  const stored = owner.source === "API";
  const only = { ...owner, reason: null, author: null, createdAt: owner.updatedAt };
  return rootPage<RevisionShape, number, { revision: object }, { revision: "asc" | "desc" }>({
    list: `revisions:${owner.id}`,
    order: newestFirst,
    args,
    find: async (read) => {
      if (!stored) return "AND" in read.where ? [] : [only].slice(0, read.take);
      return context.prisma.configRevision.findMany({ ...read, where: { AND: [{ entity }, read.where] } });
    },
    count: async () => (stored ? context.prisma.configRevision.count({ where: { entity }, take: countCap + 1 }) : 1),
  });
}
