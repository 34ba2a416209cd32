import { visibleTo } from "@wheelhouse/storage/models";
import type { GraphQLResolveInfo } from "graphql";
import { Batches, groupBy } from "./batches.ts";
import { authorityOf, type GraphContext } from "./context.ts";
import { rowQuery } from "./row-query.ts";

/** The interrupts below a session or run, in the order of asking; below a list, those of all its rows together. */
export function interruptsOf(parent: "runId" | "sessionId") {
  const batches = new Batches<{ id: string }[]>();
  return (context: GraphContext, info: GraphQLResolveInfo, parentId: string, pendingOnly: boolean) => {
    const select = { id: true, runId: true, sessionId: true } as const;
    // For every row, though one row's query is used: it also tells the plugin that the rows below are loaded.
    const query = rowQuery({ context, info, typeName: "Interrupt", select });
    return batches.load(context, info, parentId, async (parents) => {
      const among = { in: [...parents] };
      const found = await context.prisma.interrupt.findMany({
        ...query,
        where: {
          AND: [
            visibleTo(authorityOf(context)).interrupt,
            parent === "runId" ? { runId: among } : { sessionId: among },
            pendingOnly ? pending : {},
          ],
        },
        orderBy: [{ requestedAt: "asc" }, { id: "asc" }],
      });
      return groupBy(parents, found, (row) => row[parent]);
    });
  };
}

/** Not answered, not closed with the end of its task, and the task still waits. */
export const pending = { decidedAt: null, closedAt: null, task: { status: "INPUT_REQUIRED" } };
