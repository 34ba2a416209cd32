import { AIMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { Annotation, END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

const BriefingState = Annotation.Root({
  ...MessagesAnnotation.spec,
  /** One entry per branch, in whatever order the branches end. */
  findings: Annotation<{ title: string; lines: string[] }[]>({
    reducer: (before, after) => (after.length === 0 ? [] : [...before, ...after]),
    default: () => [],
  }),
});
type Briefing = typeof BriefingState.State;

/**
 * A graph written in code: three branches look at the same question side by side, and one node brings their findings
 * together. It calls no model, so it runs the same way everywhere.
 */
export function briefingGraph(documentation: readonly StructuredToolInterface[]) {
  const call = async (name: string, args: Record<string, unknown>): Promise<unknown> => {
    const answer: unknown = await documentation.find((tool) => tool.name === name)?.invoke(args);
    return typeof answer === "string" ? JSON.parse(answer) : [];
  };
  return new StateGraph(BriefingState)
    .addNode("begin", () => ({ findings: [] }))
    .addNode("find_passages", async (state) => {
      const found = await call("search_docs", { query: questionOf(state) });
      const lines = recordsIn(found).map(({ path, text }) => `${firstSentence(text)} (\`${path}\`)`);
      return { findings: [{ title: "What the documentation says", lines: lines.slice(0, 3) }] };
    })
    .addNode("find_documents", async (state) => {
      const found = await call("search_docs", { query: questionOf(state) });
      const paths = [...new Set(recordsIn(found).map(({ path }) => `\`${path}\``))];
      return { findings: [{ title: "Where to read on", lines: paths }] };
    })
    .addNode("survey", async () => {
      const paths = await call("list_docs", {});
      const count = Array.isArray(paths) ? paths.length : 0;
      return { findings: [{ title: "How much there is", lines: [`${count} documents were looked at.`] }] };
    })
    .addNode("write", (state) => ({ messages: [new AIMessage(briefingOf(state))] }))
    .addEdge(START, "begin")
    .addEdge("begin", "find_passages")
    .addEdge("begin", "find_documents")
    .addEdge("begin", "survey")
    .addEdge(["find_passages", "find_documents", "survey"], "write")
    .addEdge("write", END)
    .compile();
}

const questionOf = ({ messages }: Briefing): string => messages.at(-1)?.text ?? "";

function briefingOf(state: Briefing): string {
  const order = ["What the documentation says", "Where to read on", "How much there is"];
  const parts = [...state.findings]
    .sort((a, b) => order.indexOf(a.title) - order.indexOf(b.title))
    .map(
      ({ title, lines }) => `**${title}**\n\n${lines.map((line) => `- ${line}`).join("\n") || "- Nothing was found."}`,
    );
  return `### Briefing: ${questionOf(state)}\n\n${parts.join("\n\n")}`;
}

function recordsIn(found: unknown): { path: string; text: string }[] {
  const list: unknown[] = Array.isArray(found) ? found : [];
  return list.flatMap((entry) => {
    if (typeof entry !== "object" || entry === null || !("path" in entry) || !("text" in entry)) return [];
    return [{ path: String(entry.path), text: String(entry.text) }];
  });
}

/** The first sentence of prose in a passage of Markdown. */
function firstSentence(text: string): string {
  const prose = text.split("\n").filter((line) => !/^\s*(\||```)/.test(line));
  const line = (prose.length > 0 ? prose.join(" ") : text)
    .replaceAll(/^\s*[-*>]\s+/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.match(/^.{10,240}?[.!?:](?=\s|$)/u)?.[0] ?? line.slice(0, 160).toWellFormed();
}
