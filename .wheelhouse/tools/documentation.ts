import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { tool } from "@langchain/core/tools";
import { z } from "zod";

/** Longest piece of a document that one call returns, characters. */
const pageLength = 8_000;
const mostPassages = 5;

/** Tools that read the Markdown files at the top of a folder and below its `docs/`, and nothing else. */
export function documentationTools(root: string) {
  const listDocs = tool(async () => JSON.stringify(await findDocuments(root)), {
    name: "list_docs",
    description: "Lists the documents that can be read, by path.",
    schema: z.object({}),
  });
  const searchDocs = tool(async ({ query }) => JSON.stringify(await searchDocuments(root, query)), {
    name: "search_docs",
    description: "Finds the passages of the documentation that fit a question best, with the paths of their documents.",
    schema: z.object({ query: z.string().describe("The words to look for") }),
  });
  const readDoc = tool(async ({ path, offset = 0 }) => await readDocument(root, path, offset), {
    name: "read_doc",
    description: "Reads a document. Long ones come in pages: read on from the offset that the end of a page names.",
    schema: z.object({
      path: z.string().describe("A path from list_docs or search_docs"),
      offset: z.number().int().min(0).optional().describe("Characters to skip"),
    }),
  });
  return [listDocs, searchDocs, readDoc];
}

/** Paths relative to the root, with forward slashes. Links are left out: they may lead anywhere. */
async function findDocuments(root: string): Promise<string[]> {
  const top = await markdownIn(root, "");
  return [...top, ...(await markdownBelow(root, "docs"))].sort();
}

async function markdownIn(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".md"));
  return files.map((entry) => (folder === "" ? entry.name : `${folder}/${entry.name}`));
}

async function markdownBelow(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => `${folder}/${entry.name}`);
  const below = await Promise.all(folders.map((name) => markdownBelow(root, name)));
  return [...(await markdownIn(root, folder)), ...below.flat()];
}

async function readDocument(root: string, path: string, offset: number): Promise<string> {
  // Only what the list names can be read, so no path leads out of it.
  if (!(await findDocuments(root)).includes(path))
    return `There is no document ${path}. list_docs names those there are.`;
  const text = await readFile(join(root, path), "utf8");
  const end = offset + pageLength;
  return text.length <= end ? text.slice(offset) : `${text.slice(offset, end)}\n\n(continues at offset ${end})`;
}

interface Passage {
  path: string;
  heading: string;
  text: string;
}

async function searchDocuments(root: string, query: string): Promise<Passage[]> {
  const paths = await findDocuments(root);
  const documents = await Promise.all(
    paths.map(async (path) => passagesOf(path, await readFile(join(root, path), "utf8"))),
  );
  const passages = documents
    .flat()
    .map((passage) => ({ passage, words: wordsOf(`${passage.heading} ${passage.text}`) }));
  // A word that is everywhere says nothing: each counts by how few passages hold it.
  const weights = [...wordsOf(query)].map((word) => {
    const holders = passages.filter(({ words }) => words.has(word)).length;
    return { word, weight: holders === 0 ? 0 : Math.log(1 + passages.length / holders) };
  });
  const scored = passages.map(({ passage, words }) => {
    const title = wordsOf(passage.heading);
    const score = weights.reduce((sum, { word, weight }) => {
      return sum + (words.has(word) ? weight : 0) + (title.has(word) ? weight : 0);
    }, 0);
    return { passage, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, mostPassages)
    .map(({ passage }) => passage);
}

/** The words of a text, each once, without the endings that English gives them. */
const wordsOf = (text: string): Set<string> =>
  new Set((text.toLowerCase().match(/[\p{L}\p{N}_-]{2,}/gu) ?? []).map((word) => word.replace(/(ing|ed|es|s)$/, "")));

/** The paragraphs of a document, each under its heading. Code blocks stay whole. */
function passagesOf(path: string, text: string): Passage[] {
  const passages: Passage[] = [];
  let heading = path;
  let lines: string[] = [];
  let fenced = false;
  const close = () => {
    const body = lines.join("\n").trim();
    if (body !== "") passages.push({ path, heading, text: body.slice(0, 1_500).toWellFormed() });
    lines = [];
  };
  for (const line of text.split("\n")) {
    if (line.trimStart().startsWith("```")) fenced = !fenced;
    const title = fenced ? null : /^#+\s+(.*)/.exec(line);
    if (title !== null || (!fenced && line.trim() === "")) close();
    if (title === null) lines.push(line);
    else heading = title[1] ?? heading;
  }
  close();
  return passages;
}
