/** A passage that a tool returned, with where it is from. */
interface Passage {
  path: string | null;
  text: string;
}

/** An answer in Markdown from what tools returned: the passages nearest to the question, quoted, with their sources. */
export function answerFrom(question: string, calls: readonly { name: string; answer: string }[]): string {
  const last = calls.at(-1);
  if (last === undefined) return "";
  if (/^\s*-?[\d.,]+\s*$/.test(last.answer)) return `The result is **${last.answer.trim()}**.`;
  // A document that was opened does not name itself: the search before it did, as its first.
  const passages = calls.flatMap((call, i) => passagesIn(call.answer, pathsIn(calls[i - 1]?.answer ?? "")[0] ?? null));
  const best = nearest(question, passages).slice(0, 3);
  if (best.length === 0)
    return last.answer.trim() === ""
      ? "I looked, but found nothing about that."
      : `Done. ${clipLines(last.answer, 600)}`;
  const [first, ...others] = best;
  const quotes = best.map((passage) => quote(passage)).join("\n\n");
  const sources = [...new Set(best.map((passage) => passage.path).filter((path) => path !== null))];
  const lead = first === undefined ? "" : summary(first.text);
  const more = others.length > 0 ? `\n\nI found ${best.length} passages that fit:` : "";
  const from = sources.length > 0 ? `\n\nSources: ${sources.map((path) => `\`${path}\``).join(", ")}` : "";
  return `${lead}${more}\n\n${quotes}${from}`;
}

/** Paths of documents in a tool's answer, in their order, each once. */
export function pathsIn(answer: string): string[] {
  const found = answer.match(/[\w./-]*[\w-]+\.(?:mdx?|txt|rst|adoc|html?|graphql|json|ya?ml|tsx?|jsx?)\b/g) ?? [];
  return [...new Set(found)];
}

/** `from` is the source of a text that names none. */
function passagesIn(answer: string, from: string | null): Passage[] {
  const parsed = parseJson(answer);
  const list: unknown[] | null = Array.isArray(parsed)
    ? parsed
    : typeof parsed === "object" && parsed !== null
      ? (Object.values(parsed).find((value) => Array.isArray(value)) ?? [parsed])
      : null;
  if (list !== null) return list.flatMap(recordPassage);
  let path = from;
  const passages: Passage[] = [];
  // Code is cut out first, for there may be empty lines in it.
  for (const block of answer.replaceAll(/^```.*?^```/gms, "").split(/\n\s*\n/)) {
    const text = block.trim();
    if (from === null) path = pathsIn(text.split("\n")[0] ?? "")[0] ?? path;
    if (text.length > 3 && !/^#+ [^\n]*$/.test(text)) passages.push({ path, text });
  }
  return passages;
}

function recordPassage(entry: unknown): Passage[] {
  if (typeof entry === "string") return [{ path: null, text: entry }];
  if (typeof entry !== "object" || entry === null) return [];
  const field = (...names: string[]): string | null => {
    for (const name of names) {
      const value: unknown = Reflect.get(entry, name);
      if (typeof value === "string" && value.trim() !== "") return value;
    }
    return null;
  };
  const text = field("excerpt", "snippet", "text", "content", "passage", "body", "line", "description");
  return text === null || text.startsWith("```") ? [] : [{ path: field("path", "file", "source", "url"), text }];
}

/** Passages by how many of the question's words they hold, the better first; equal ones keep their order. */
function nearest(question: string, passages: Passage[]): Passage[] {
  const words = new Set((question.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).map(stem));
  const scored = passages.map((passage, index) => {
    const own = new Set((passage.text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).map(stem));
    let score = 0;
    for (const word of words) if (own.has(word)) score += 1;
    // A table or a list of links has many words and says little about any of them.
    const listing = /^\||^\[[^\]]*\]\([^)]*\) ·/.test(passage.text);
    return { passage, index, score: score * (listing ? 0.4 : 1) - Math.min(passage.text.length, 4_000) / 100_000 };
  });
  const texts = new Set<string>();
  return scored
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .filter(({ passage }) => !texts.has(passage.text) && texts.add(passage.text))
    .map(({ passage }) => passage);
}

const stem = (word: string): string => word.replace(/(ing|ed|es|s)$/, "");

/** The first whole sentence that is prose. */
function summary(text: string): string {
  const prose = text
    .replaceAll(/^([#>|\s]|[-*] )+/gm, "")
    .replaceAll("**", "")
    .replaceAll(/\s+/g, " ")
    .trim();
  const sentence = prose.match(/^.{20,280}?[.!?](?=\s|$)/u)?.[0];
  return sentence ?? `${prose.slice(0, 200).toWellFormed()}${prose.length > 200 ? "…" : ""}`;
}

const quote = ({ path, text }: Passage): string => {
  const body = clipLines(text, 480)
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
  return path === null ? body : `${body}\n>\n> — \`${path}\``;
};

function clipLines(text: string, length: number): string {
  const clean = text.trim();
  return clean.length <= length
    ? clean
    : `${clean
        .slice(0, length)
        .toWellFormed()
        .replace(/\s+\S*$/, "")} …`;
}

function parseJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
