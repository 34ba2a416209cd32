import { artifactKinds } from "@wheelhouse/domain";
import type { ArtifactFilter, ArtifactKind } from "../../generated/graphql.ts";
import { readKnown, writeAll, writeOne } from "../../lists/list-params.ts";

export const artifactTabs = ["preview", "versions", "changes"] as const;
export type ArtifactTab = (typeof artifactTabs)[number];

/** Everything that the page's address says. The route is one page, so all of it is in the query. */
export interface ArtifactsView {
  as: "tree" | "list";
  text: string;
  kinds: ArtifactKind[];
  /** The folder to stay in, with a slash at both ends; empty for all. */
  folder: string;
  sessionId: string;
  runId: string;
  /** The global id of the artifact that is shown. */
  artifact: string | null;
  /** The version that is shown; null for the latest. */
  version: number | null;
  tab: ArtifactTab;
  /** The version that is compared with the shown one; null for the one before. */
  from: number | null;
  /** Shows what is written instead of what it means. */
  source: boolean;
}

export const longestText = 200;

const versionIn = (written: string | null): number | null => {
  const version = written !== null && /^\d{1,9}$/.test(written) ? Number(written) : 0;
  return version > 0 ? version : null;
};

/** Reads what the address asks for. What it does not know, it leaves out. */
export function readView(params: URLSearchParams): ArtifactsView {
  const folder = params.get("folder") ?? "";
  return {
    as: params.get("view") === "list" ? "list" : "tree",
    text: (params.get("q") ?? "").slice(0, longestText),
    kinds: readKnown(params, "kind", artifactKinds),
    folder: /^\/.*\/$/.test(folder) ? folder : "",
    sessionId: params.get("session") ?? "",
    runId: params.get("run") ?? "",
    artifact: params.get("artifact"),
    version: versionIn(params.get("version")),
    tab: artifactTabs.find((tab) => tab === params.get("tab")) ?? "preview",
    from: versionIn(params.get("from")),
    source: params.get("as") === "source",
  };
}

/** Writes parts of a view into the address; every other parameter stays. */
export function writeView(params: URLSearchParams, view: Partial<ArtifactsView>): void {
  const one = (name: string, value: string | undefined) => value === undefined || writeOne(params, name, value);
  const number = (name: string, value: number | null | undefined) =>
    value === undefined || writeOne(params, name, value === null ? "" : String(value));
  if (view.kinds !== undefined) writeAll(params, "kind", view.kinds);
  one("view", view.as === undefined ? undefined : view.as === "list" ? "list" : "");
  one("q", view.text?.slice(0, longestText));
  one("folder", view.folder);
  one("session", view.sessionId);
  one("run", view.runId);
  one("artifact", view.artifact === null ? "" : view.artifact);
  number("version", view.version);
  one("tab", view.tab === "preview" ? "" : view.tab);
  number("from", view.from);
  one("as", view.source === undefined ? undefined : view.source ? "source" : "");
}

/** What the list asks the API for. */
export function toArtifactFilter({ text, kinds, folder, sessionId, runId }: ArtifactsView): ArtifactFilter {
  return {
    ...(text.trim() === "" ? {} : { text: text.trim() }),
    ...(kinds.length === 0 ? {} : { kinds }),
    ...(folder === "" ? {} : { pathPrefix: folder }),
    ...(sessionId === "" ? {} : { sessionId }),
    ...(runId === "" ? {} : { runId }),
  };
}

export const isFiltered = (view: ArtifactsView): boolean => Object.keys(toArtifactFilter(view)).length > 0;

/** No filter at all. */
export const noFilters: Partial<ArtifactsView> = { text: "", kinds: [], folder: "", sessionId: "", runId: "" };

/** The address of an artifact's page. */
export const artifactHref = (id: string, version?: number): string =>
  `/artifacts?artifact=${id}${version === undefined ? "" : `&version=${version}`}`;
