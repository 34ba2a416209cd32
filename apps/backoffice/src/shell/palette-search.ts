/** Something the palette can do. */
export interface Command {
  id: string;
  label: string;
  /** Further words it is found by. */
  keywords?: string;
}

/**
 * How well `query` matches: 0 not at all, higher is better. Every word of the query must be found, at the start of a word
 * (best), within one, or as letters in order.
 */
export function matchScore(query: string, command: Command): number {
  const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return 1;
  const label = command.label.toLowerCase();
  const text = `${label} ${(command.keywords ?? "").toLowerCase()}`;
  let score = 0;
  for (const word of words) {
    const one = scoreOfWord(word, label, text);
    if (one === 0) return 0;
    score += one;
  }
  return score / words.length;
}

function scoreOfWord(word: string, label: string, text: string): number {
  if (label.startsWith(word)) return 100;
  const startsWord = (where: string) => where.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word));
  if (startsWord(label)) return 80;
  if (startsWord(text)) return 60;
  if (label.includes(word)) return 40;
  if (text.includes(word)) return 30;
  return word.length > 2 && isSubsequence(word, label) ? 10 : 0;
}

function isSubsequence(word: string, text: string): boolean {
  let at = 0;
  for (const letter of word) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** The commands that match, best first; equals keep their order. */
export const searchCommands = <C extends Command>(query: string, commands: readonly C[]): C[] =>
  commands
    .map((command) => ({ command, score: matchScore(query, command) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ command }) => command);

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const globalId = new RegExp(`^(Session|Run|Task|Artifact)_(${uuid})$`, "i");

/** The page of a pasted id, or null when the text is no id. A bare UUID may be a conversation's or a run's. */
export function targetsOfId(text: string): { label: string; href: string }[] {
  const trimmed = text.trim();
  const global = globalId.exec(trimmed);
  if (global !== null) {
    const type = global[1]?.toLowerCase();
    if (type === "session") return [{ label: "Open conversation", href: `/conversations/${trimmed}` }];
    if (type === "run") return [{ label: "Open run", href: `/runs/${trimmed}` }];
    if (type === "artifact") return [{ label: "Open artifact", href: `/artifacts?artifact=${trimmed}` }];
    return [];
  }
  if (!new RegExp(`^${uuid}$`, "i").test(trimmed)) return [];
  return [
    { label: "Open conversation", href: `/conversations/Session_${trimmed}` },
    { label: "Open run", href: `/runs/Run_${trimmed}` },
  ];
}
