export type SetupAnswer =
  | { kind: "done" }
  | { kind: "spent" }
  | { kind: "invalid"; problems: Partial<Record<string, string>> }
  | { kind: "failed"; message: string };

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** What `/api/setup` answered, in the words of the form. */
export function readSetupAnswer(status: number, text: string): SetupAnswer {
  if (status >= 200 && status < 300) return { kind: "done" };
  if (status === 403 || status === 404 || status === 410) return { kind: "spent" };
  const problems = problemsOf(text);
  if (status === 400 && Object.keys(problems).length > 0) return { kind: "invalid", problems };
  return { kind: "failed", message: `The server answered with status ${status}. Try again, or look at its log.` };
}

function problemsOf(text: string): Record<string, string> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return {};
  }
  const issues = isRecord(body) && Array.isArray(body.issues) ? body.issues : [];
  const entries = issues.flatMap((issue: unknown) =>
    isRecord(issue) && typeof issue.path === "string" && typeof issue.message === "string"
      ? [[issue.path, capitalised(issue.message)] as const]
      : [],
  );
  return Object.fromEntries(entries);
}

const capitalised = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
