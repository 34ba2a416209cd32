import { artifactUrl } from "@wheelhouse/domain";
import { visibleTo } from "@wheelhouse/storage/models";
import type { GraphQLResolveInfo } from "graphql";
import { Batches } from "./batches.ts";
import { builder } from "./builder.ts";
import { connectionType } from "./connection.ts";
import { authorityOf, type GraphContext } from "./context.ts";
import { globalId } from "./global-id.ts";
import { numberKey, type Order } from "./keyset.ts";
import { NestedList } from "./nested-list.ts";
import { ArtifactVersion, Run } from "./refs.ts";
import { runById } from "./run.ts";

builder.prismaObjectFields(ArtifactVersion, (t) => ({
  id: t.id({ description: "The global id.", resolve: (version) => globalId("ArtifactVersion", version.id) }),
  artifact: t.relation("artifact", { description: "What it is a version of." }),
  version: t.exposeInt("version", { description: "Its number, from 1." }),
  contentType: t.exposeString("contentType", { description: "Its media type." }),
  bytes: t.field({
    type: "BigInt",
    select: { bytes: true },
    description: "How long it is, bytes.",
    resolve: (version) => Number(version.bytes),
  }),
  checksum: t.exposeString("checksum", { description: "SHA-256 of its bytes, hexadecimal." }),
  parentVersion: t.exposeInt("parentVersion", {
    nullable: true,
    description: "The version before; null for the first.",
  }),
  url: t.string({
    select: { artifactId: true, version: true },
    description: "Where its bytes are, relative to the installation.",
    resolve: ({ artifactId, version }) => artifactUrl(artifactId, version),
  }),
  run: t.field({
    type: Run,
    nullable: true,
    select: { runId: true },
    description: "The run that made it.",
    resolve: (version, _, context, info) => runById(context, info, version.runId),
  }),
  createdBy: t.exposeString("createdBy", { nullable: true, description: "Who made it: the kind of actor and its id." }),
  createdAt: t.expose("createdAt", { type: "DateTime", description: "When it was made." }),
}));

export { ArtifactVersion };
export const ArtifactVersionConnection = connectionType<{ id: string }>("ArtifactVersion", ArtifactVersion);

type VersionRow = { id: string; version: number; artifactId: string };
type VersionWhere = { version?: object };
type VersionOrder = { version: "asc" | "desc" };
export const versionOrder = { version: "desc" } as const;

const newestFirst: Order<VersionRow, number, VersionWhere, VersionOrder> = {
  name: "VERSION_DESC",
  direction: "desc",
  read: (row) => row.version,
  parse: numberKey,
  where: (version) => ({ version }),
  orderBy: (version) => ({ version }),
};

export const versionsOfArtifact = new NestedList<VersionRow, number, VersionWhere, VersionOrder>({
  name: "artifactVersions",
  order: newestFirst,
  parent: { field: "artifactId", of: (row) => row.artifactId },
});

interface LatestVersion {
  contentType: string;
  bytes: bigint | number;
  checksum: string;
}

const latestVersions = new WeakMap<GraphContext, Batches<LatestVersion>>();

/** What the latest version of an artifact is: one statement for the artifacts of a list and each field that asks. */
export function latestOf(
  context: GraphContext,
  info: GraphQLResolveInfo,
  { id, latestVersion }: { id: string; latestVersion: number },
): Promise<LatestVersion> {
  const batches = latestVersions.get(context) ?? new Batches<LatestVersion>();
  latestVersions.set(context, batches);
  return batches.load(context, info, `${id} ${latestVersion}`, async (keys) => {
    const wanted = [...new Set(keys)].map((key) => {
      const [artifactId = "", number = ""] = key.split(" ");
      return { artifactId, version: Number(number) };
    });
    const found = await context.prisma.artifactVersion.findMany({
      where: { AND: [visibleTo(authorityOf(context)).artifactVersion, { OR: wanted }] },
      select: { artifactId: true, version: true, contentType: true, bytes: true, checksum: true },
    });
    const byKey = new Map(found.map((row) => [`${row.artifactId} ${row.version}`, row]));
    return keys.map((key) => {
      const row = byKey.get(key);
      if (row === undefined) throw new Error("An artifact has no latest version");
      return row;
    });
  });
}
