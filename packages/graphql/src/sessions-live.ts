import { invalid } from "@wheelhouse/domain";
import { visibleTo } from "@wheelhouse/storage/models";
import { type GraphQLResolveInfo, Kind, type SelectionNode } from "graphql";
import { builder } from "./builder.ts";
import { authorityOf } from "./context.ts";
import { SessionOrder } from "./enums.ts";
import { globalId } from "./global-id.ts";
import { countCap, maxPageSize } from "./keyset.ts";
import { Session } from "./refs.ts";
import { checkFilter, SessionFilter } from "./session-list.ts";
import { followSessions, type SessionsPatchShape } from "./session-lists.ts";
import { delivered, type Frame, guarded } from "./streams.ts";

const ids = (rows: readonly string[]): string[] => rows.map((id) => globalId("Session", id));

const SessionsPatch = builder.objectRef<SessionsPatchShape>("SessionsPatch").implement({
  description:
    "What changed in the first rows of a live list since the last patch. The first patch enters every row. " +
    "Laying `upserted` over the rows that are known and taking them in the order of `order` gives the list.",
  fields: (t) => ({
    upserted: t.prismaField({
      type: [Session],
      description: "Rows that are new in the list or changed, in list order.",
      resolve: async (query, patch, _, context) => {
        const key = JSON.stringify([query, patch.upsertedIds]);
        const found = await patch.rows(key, () =>
          context.prisma.session.findMany({
            ...query,
            where: { AND: [visibleTo(authorityOf(context)).session, { id: { in: patch.upsertedIds } }] },
          }),
        );
        const places = new Map(patch.order.map((id, place) => [id, place]));
        return found.toSorted((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0));
      },
    }),
    removed: t.idList({
      description: "Rows that left the list: they no longer match, or moved past its end.",
      resolve: (patch) => ids(patch.removedIds),
    }),
    gone: t.idList({
      description: "Those of the removed that no longer match or no longer exist. The others are only further back.",
      resolve: async (patch) => ids(await patch.goneIds()),
    }),
    order: t.idList({
      description: "Every row of the list after this patch, in its order; as many as were asked for, at most.",
      resolve: (patch) => ids(patch.order),
    }),
    totalCount: t.int({
      nullable: true,
      description: "How many sessions match, also behind the end of the list; counted up to 10,000.",
      resolve: (patch) => (patch.count === null ? null : Math.min(patch.count, countCap)),
    }),
    totalCountIsExact: t.boolean({
      nullable: true,
      description: "Whether the count is complete.",
      resolve: (patch) => (patch.count === null ? null : patch.count <= countCap),
    }),
  }),
});

/** Whether the operation asks for the count; a fragment that might is taken to do so. */
function wantsCount(info: GraphQLResolveInfo): boolean {
  const asks = (selection: SelectionNode): boolean => {
    if (selection.kind === Kind.FIELD) return selection.name.value.startsWith("totalCount");
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? info.fragments[selection.name.value] : selection;
    return fragment?.selectionSet.selections.some(asks) ?? true;
  };
  return info.fieldNodes.some((node) => node.selectionSet?.selections.some(asks) ?? false);
}

builder.subscriptionField("sessionsLive", (t) =>
  t.field({
    type: SessionsPatch,
    description:
      "The first rows of the session list, newest activity first unless told otherwise, kept current by patches.",
    args: {
      filter: t.arg({ type: SessionFilter, description: "Which sessions." }),
      first: t.arg.int({ description: "How many rows, 1 to 100; 50 when absent." }),
      orderBy: t.arg({ type: SessionOrder, description: "The order; newest activity first when absent." }),
    },
    subscribe: (_, args, context, info) => {
      const first = args.first ?? 50;
      if (first < 1 || first > maxPageSize) throw invalid("first", `use 1 to ${maxPageSize}`);
      const filter = checkFilter(args.filter ?? {});
      const orderBy = args.orderBy ?? "LAST_ACTIVITY_DESC";
      const patches = followSessions(context, { filter, orderBy, first, counts: wantsCount(info) });
      return guarded(context, patches, { field: "sessionsLive", target: null });
    },
    resolve: (frame: Frame<SessionsPatchShape>) => delivered(frame),
  }),
);
