import type { BaseMessage } from "@langchain/core/messages";
import { answerFrom, pathsIn } from "./scripted-answer.ts";
import { fillArguments } from "./scripted-arguments.ts";
import type { Script, ScriptedTurn, ScriptTool } from "./scripted-model.ts";

/** One tool call that was made since the user last spoke, with what came back. */
interface PastCall {
  name: string;
  answer: string;
  failed: boolean;
}

/** What the script looks at. */
interface Scene {
  text: string;
  tools: readonly ScriptTool[];
  calls: PastCall[];
  /** Whether the agent has spoken before this turn. */
  greeted: boolean;
}

type Rule = (scene: Scene) => ScriptedTurn | null;

/**
 * A small deterministic brain: reads the last request and the bound tools, and decides by the first rule that fits.
 * It plans and delegates when it can and is asked to look into something, computes, acts when asked to act,
 * searches when asked a question, and answers with what it found. No network, no randomness.
 */
export const guide: Script = (messages, tools) => {
  const scene = readScene(messages, tools);
  for (const rule of rules) {
    const turn = rule(scene);
    if (turn !== null) return turn;
  }
  return { content: introduction(scene) };
};

const searchTool = /(^|_)(search|find|lookup|retrieve|query)(_|$)/;
const readTool = /^(read|open|get|fetch)_.*(doc|file|page)s?$|^read_file$/;
const stopWords = new Set(
  "a an and are as at be by can could do does for from get give has have how i in into is it its me my of on or please should show tell that the their there this to us use was we what when where which who why will with work works would you your about explain does".split(
    " ",
  ),
);

const rules: Rule[] = [
  // The last call failed or was refused: say so, and try nothing else.
  ({ calls }) => {
    const last = calls.at(-1);
    if (last === undefined || !last.failed) return null;
    return {
      content: `That did not work: **${last.name}** answered “${clip(last.answer, 240)}”. Nothing else was changed.`,
    };
  },
  planFirst,
  delegate,
  calculate,
  act,
  search,
  readFound,
  // Something came back: answer with it.
  ({ calls, text }) => {
    const answers = calls.filter((call) => call.name !== "write_todos");
    return answers.length === 0 ? null : { content: answerFrom(text, answers) };
  },
  ({ text, greeted }) =>
    /^\s*(hi|hello|hey|good (morning|evening|afternoon)|tere|moin|servus)\b[\s!.,]*(there)?[\s!.,]*$/i.test(text)
      ? { content: greeted ? "Hello again! What would you like to know?" : "Hello! What would you like to know?" }
      : null,
  ({ text }) => (/\b(thanks|thank you|cheers)\b/i.test(text) ? { content: "You are welcome." } : null),
];

function planFirst({ text, tools, calls }: Scene): ScriptedTurn | null {
  if (!needsLookingInto(text, tools) || !has(tools, "write_todos") || calls.some((call) => call.name === "write_todos"))
    return null;
  const topic = keywords(text).join(" ");
  const todos = [
    { content: `Find what is known about ${topic}`, status: "in_progress" },
    { content: "Compare the sources", status: "pending" },
    { content: "Write the summary", status: "pending" },
  ];
  return { content: "I will plan this first.", toolCalls: [{ name: "write_todos", args: { todos } }] };
}

function delegate({ text, tools, calls }: Scene): ScriptedTurn | null {
  if (!needsLookingInto(text, tools) || calls.some((call) => call.name === "task")) return null;
  const task = tools.find((tool) => tool.name === "task");
  if (task === undefined) return null;
  // Deep agents list their subagents in the tool's description, one per line: "- name: what it is for".
  const names = [...task.description.matchAll(/^- "?([a-z0-9][\w-]*)"?:/gm)].map((match) => match[1] ?? "");
  const subagent = names.find((name) => name !== "general-purpose") ?? names[0] ?? "general-purpose";
  const description = `What do the documents say about ${keywords(text).join(" ")}?`;
  return { toolCalls: [{ name: "task", args: { description, subagent_type: subagent } }] };
}

function calculate({ text, tools, calls }: Scene): ScriptedTurn | null {
  const calculator = tools.find((tool) => /calc|arithmetic|(^|_)math(_|$)/.test(tool.name));
  if (calculator === undefined || calls.some((call) => call.name === calculator.name)) return null;
  const expression = text
    .replaceAll(/(?<=\d)\s*[x×]\s*(?=\d)/g, " * ")
    .replaceAll("÷", "/")
    .match(/[(\d][\d\s.()*/+-]*[*/+-][\d\s.()*/+-]*\d\)*/);
  if (expression === null) return null;
  return { toolCalls: [{ name: calculator.name, args: fillArguments(calculator, text, expression[0].trim()) }] };
}

const actionVerbs = new Set(
  "send publish post deploy refund cancel delete create book schedule approve notify".split(" "),
);

/** "send an email to …" calls `send_email`: the words of the tool's name, or at least its verb, are in the request. */
function act({ text, tools, calls }: Scene): ScriptedTurn | null {
  const words = new Set(text.toLowerCase().match(/[a-z]+/g) ?? []);
  for (const tool of tools) {
    if (searchTool.test(tool.name) || readTool.test(tool.name) || calls.some((call) => call.name === tool.name))
      continue;
    const [verb = "", ...objects] = tool.name.toLowerCase().split(/[_-]/);
    const isSaid = (part: string) => words.has(part) || words.has(`${part}s`);
    if (!isSaid(verb) || !(actionVerbs.has(verb) || objects.every(isSaid))) continue;
    return { content: `I will use ${tool.name}.`, toolCalls: [{ name: tool.name, args: fillArguments(tool, text) }] };
  }
  return null;
}

function search({ text, tools, calls }: Scene): ScriptedTurn | null {
  const tool = tools.find((candidate) => searchTool.test(candidate.name));
  if (tool === undefined || calls.some((call) => call.name === tool.name || call.name === "task")) return null;
  const terms = keywords(text);
  if (terms.length === 0 || !(isQuestion(text) || terms.length >= 2)) return null;
  const query = terms.slice(0, 6).join(" ");
  return { content: "Let me look that up.", toolCalls: [{ name: tool.name, args: fillArguments(tool, text, query) }] };
}

/** A search that names files is followed by reading the first of them, once. */
function readFound({ text, tools, calls }: Scene): ScriptedTurn | null {
  const tool = tools.find((candidate) => readTool.test(candidate.name));
  const found = calls.findLast((call) => searchTool.test(call.name));
  if (tool === undefined || found === undefined || calls.some((call) => call.name === tool.name)) return null;
  const path = pathsIn(found.answer)[0];
  return path === undefined ? null : { toolCalls: [{ name: tool.name, args: fillArguments(tool, text, path) }] };
}

function introduction({ tools }: Scene): string {
  const own = tools.filter(
    (tool) => !/^(ls|glob|grep|execute|task|write_todos|(read|write|edit|delete)_?file|delete)$/.test(tool.name),
  );
  if (own.length === 0)
    return "I am a scripted model: I answer the same way every time, and I have no tools here. Ask me with one.";
  const list = own.map((tool) => `- **${tool.name}** – ${clip(tool.description.split("\n")[0] ?? "", 120)}`);
  return `I did not find a way to help with that. These are the things I can do:\n\n${list.join("\n")}`;
}

const isQuestion = (text: string): boolean =>
  /\?\s*$|^\s*(what|how|why|when|where|who|which|can|does|is|are|explain|tell|show|describe|find|search)\b/i.test(text);

/** Research is planned and handed on; so is a plain question when there is no search tool to answer it with. */
const needsLookingInto = (text: string, tools: Scene["tools"]): boolean =>
  isResearch(text) ||
  (isQuestion(text) && keywords(text).length > 0 && !tools.some((tool) => searchTool.test(tool.name)));

const isResearch = (text: string): boolean =>
  /\b(research|investigate|in depth|compare|deep dive|look into|report on|plan)\b/i.test(text);

const has = (tools: readonly ScriptTool[], name: string): boolean => tools.some((tool) => tool.name === name);

/** The words that carry a question, in their order, each once. */
export function keywords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_-]*/gu) ?? [];
  return [...new Set(words)].filter((word) => word.length > 1 && !stopWords.has(word));
}

export const clip = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;

function readScene(messages: readonly BaseMessage[], tools: readonly ScriptTool[]): Scene {
  const last = messages.findLastIndex((message) => message.getType() === "human");
  const since = messages.slice(last + 1);
  const calls = since
    .filter((message) => message.getType() === "tool")
    .map((message) => ({
      name: message.name ?? callName(since, message) ?? "the tool",
      answer: message.text,
      failed: Reflect.get(message, "status") === "error",
    }));
  const text = messages[last]?.text ?? "";
  return { text, tools, calls, greeted: messages.slice(0, last).some((message) => message.getType() === "ai") };
}

function callName(messages: readonly BaseMessage[], answer: BaseMessage): string | undefined {
  const id: unknown = Reflect.get(answer, "tool_call_id");
  for (const message of messages) {
    const calls: unknown = Reflect.get(message, "tool_calls");
    if (!Array.isArray(calls)) continue;
    const call: unknown = calls.find((candidate) => candidate.id === id);
    if (typeof call === "object" && call !== null && "name" in call) return String(call.name);
  }
  return undefined;
}
