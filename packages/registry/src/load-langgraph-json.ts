import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { RegistryIssue } from "./registry-issue.ts";
import type { CodeAgent } from "./workspace-config.ts";

/** LangGraph's own description of an application. */
export const langgraphFile = "langgraph.json";

const Graph = z.union([z.string(), z.looseObject({ path: z.string(), description: z.string().max(2000).optional() })]);
const Application = z.looseObject({ graphs: z.record(z.string(), Graph).default({}) });

/**
 * The graphs of a workspace's `langgraph.json`, as agents: each is `./file.ts:export`. A graph that cannot be loaded is
 * reported and left out. The file's other fields are for LangGraph's own server.
 */
export async function loadLanggraphJson(
  workspaceDir: string,
): Promise<{ agents: Record<string, CodeAgent>; issues: RegistryIssue[] }> {
  const agents: Record<string, CodeAgent> = {};
  const issues: RegistryIssue[] = [];
  const refuse = (message: string) => void issues.push({ file: langgraphFile, line: null, message });
  let text: string;
  try {
    text = await readFile(join(workspaceDir, langgraphFile), "utf8");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT"))
      refuse(`cannot be read: ${textOf(error)}`);
    return { agents, issues };
  }
  const parsed = parseApplication(text);
  if (typeof parsed === "string") {
    refuse(parsed);
    return { agents, issues };
  }
  for (const [name, graph] of Object.entries(parsed.graphs)) {
    const { path, description } = typeof graph === "string" ? { path: graph } : graph;
    try {
      agents[name] = {
        graph: await loadGraph(workspaceDir, path),
        ...(description === undefined ? {} : { description }),
      };
    } catch (error) {
      refuse(`graphs.${name}: ${textOf(error)}`);
    }
  }
  return { agents, issues };
}

function parseApplication(text: string): z.infer<typeof Application> | string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return textOf(error);
  }
  const parsed = Application.safeParse(json);
  return parsed.success ? parsed.data : z.prettifyError(parsed.error);
}

async function loadGraph(workspaceDir: string, path: string): Promise<unknown> {
  const colon = path.lastIndexOf(":");
  const [file, name] = colon < 0 ? [path, "default"] : [path.slice(0, colon), path.slice(colon + 1)];
  if (/\.py$/.test(file))
    throw new Error(`${file} is Python; this installation runs graphs in TypeScript and JavaScript`);
  const loaded: unknown = await import(pathToFileURL(join(workspaceDir, file)).href);
  const graph: unknown = typeof loaded === "object" && loaded !== null ? Reflect.get(loaded, name) : undefined;
  if (graph === undefined || graph === null) throw new Error(`${file} exports no ${name}`);
  return graph;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
