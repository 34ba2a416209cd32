import type { DiffLine } from "@wheelhouse/domain";
import type { ArtifactDiff as ArtifactDiffShape } from "@wheelhouse/runtime";
import { builder } from "./builder.ts";

const DiffLineKind = builder.enumType("DiffLineKind", {
  values: ["SAME", "REMOVED", "ADDED"] as const,
  description: "Whether a line is in both texts, or in one of them.",
});

const DiffLineType = builder.objectRef<DiffLine>("DiffLine").implement({
  description: "A line of a difference.",
  fields: (t) => ({
    kind: t.expose("kind", { type: DiffLineKind, description: "In which of the texts it is." }),
    text: t.exposeString("text", { description: "The line, without its end." }),
    oldLine: t.exposeInt("oldLine", { nullable: true, description: "Its number in the text before, from 1." }),
    newLine: t.exposeInt("newLine", { nullable: true, description: "Its number in the text behind, from 1." }),
  }),
});

export const ArtifactDiff = builder.objectRef<ArtifactDiffShape>("ArtifactDiff").implement({
  description: "How one version of a text became another.",
  fields: (t) => ({
    from: t.exposeInt("from", { description: "The version before." }),
    to: t.exposeInt("to", { description: "The version behind." }),
    added: t.exposeInt("added", { description: "Lines that are new." }),
    removed: t.exposeInt("removed", { description: "Lines that are gone." }),
    hunks: t.field({
      type: t.listRef(t.listRef(DiffLineType)),
      description: "The changes in order, each with three lines around it.",
      resolve: (diff) => diff.hunks,
    }),
  }),
});
