import { invalid } from "@wheelhouse/domain";
import { type SessionsChanged, watchSessions } from "@wheelhouse/runtime";
import { visibleTo } from "@wheelhouse/storage/models";
import { builder } from "./builder.ts";
import { authorityOf, type GraphContext } from "./context.ts";
import { globalId } from "./global-id.ts";
import { maxPageSize } from "./keyset.ts";
import { Session } from "./refs.ts";
import { checkFilter, SessionFilter, type SessionFilterInput, sessionPage, sessionRowSelect } from "./session-list.ts";
import { delivered, type Frame, guarded } from "./streams.ts";

interface Patch {
  upsertedIds: string[];
  removedIds: string[];
}

const SessionsPatch = builder.objectRef<Patch>("SessionsPatch").implement({
  description: "What changed in the first rows of a live list since the last patch. The first patch enters every row.",
  fields: (t) => ({
    upserted: t.prismaField({
      type: [Session],
      description: "Rows that are new in the list or changed, in list order.",
      resolve: async (query, patch, _, context) => {
        const found = await context.prisma.session.findMany({
          ...query,
          where: { AND: [visibleTo(authorityOf(context)).session, { id: { in: patch.upsertedIds } }] },
          orderBy: [{ lastActivityAt: "desc" }, { id: "desc" }],
        });
        return found;
      },
    }),
    removed: t.idList({
      description: "Rows that left the list (no longer match, or moved past its end).",
      resolve: (patch) => patch.removedIds.map((id) => globalId("Session", id)),
    }),
  }),
});

/** The first rows of a list, each with a mark that changes whenever the row does. */
async function readMarks(context: GraphContext, filter: SessionFilterInput, first: number) {
  const page = sessionPage({
    context,
    args: { first },
    filter,
    orderBy: "LAST_ACTIVITY_DESC",
    find: (read) =>
      context.prisma.session.findMany({
        ...read,
        select: { ...sessionRowSelect, updatedAt: true, lastSequence: true, status: true, lastRunId: true },
      }),
  });
  const { edges } = await page.rows();
  return new Map(
    edges.map(({ node }) => [
      node.id,
      `${node.updatedAt.getTime()} ${node.lastSequence} ${node.status} ${node.lastRunId} ${node.title}`,
    ]),
  );
}

/** Patches of the list, one for every round of changes that touched it. */
export async function* sessionPatches(
  context: GraphContext,
  changes: AsyncIterable<SessionsChanged>,
  filter: SessionFilterInput,
  first: number,
): AsyncGenerator<Patch, void> {
  let known = new Map<string, string>();
  let entered = false;
  for await (const _ of changes) {
    const marks = await readMarks(context, filter, first);
    const upsertedIds = [...marks].filter(([id, mark]) => known.get(id) !== mark).map(([id]) => id);
    const removedIds = [...known.keys()].filter((id) => !marks.has(id));
    known = marks;
    if (entered && upsertedIds.length === 0 && removedIds.length === 0) continue;
    entered = true;
    yield { upsertedIds, removedIds };
  }
}

builder.subscriptionField("sessionsLive", (t) =>
  t.field({
    type: SessionsPatch,
    description: "The first rows of the session list, newest activity first, kept current by patches.",
    args: {
      filter: t.arg({ type: SessionFilter, description: "Which sessions." }),
      first: t.arg.int({ description: "How many rows, 1 to 100; 50 when absent." }),
    },
    subscribe: (_, args, context) => {
      const first = args.first ?? 50;
      if (first < 1 || first > maxPageSize) throw invalid("first", `use 1 to ${maxPageSize}`);
      const filter = checkFilter(args.filter ?? {});
      const changes = watchSessions(context.runtime, authorityOf(context));
      const patches = sessionPatches(context, changes, filter, first);
      return guarded(context, {
        next: () => patches.next(),
        // The changes are let go first: a generator cannot be left while it waits.
        return: async () => {
          await changes.return?.();
          await patches.return();
        },
      });
    },
    resolve: (frame: Frame<Patch>) => delivered(frame),
  }),
);
