import { getConfig } from "@langchain/langgraph";
import type { RunFiles } from "../graph-host.ts";

/** Under this key the durable files of a run travel in a graph's configuration. */
export const runFilesKey = "wheelhouse_files";

/** The durable files of the run in whose graph this is called: one compiled graph serves many runs. */
export function filesOfRun(): RunFiles {
  const files: RunFiles | undefined = getConfig().configurable?.[runFilesKey];
  if (files === undefined) throw new Error("durable files were asked for outside of a run");
  return files;
}
