/** How the body of an artifact is shown. */
export type PreviewKind = "text" | "markdown" | "code" | "json" | "csv" | "image" | "pdf" | "none";

export interface Preview {
  kind: PreviewKind;
  /** The language of code, as the highlighter names it. */
  language?: string;
}

const languageOfEnding: Readonly<Record<string, string>> = {
  ...{ ts: "typescript", tsx: "tsx", js: "javascript", mjs: "javascript", cjs: "javascript", jsx: "jsx" },
  ...{ py: "python", rb: "ruby", go: "go", rs: "rust", java: "java", kt: "kotlin", swift: "swift", c: "c", h: "c" },
  ...{ cpp: "cpp", cs: "csharp", php: "php", sh: "bash", sql: "sql", graphql: "graphql", css: "css", scss: "scss" },
  ...{ yaml: "yaml", yml: "yaml", toml: "toml", xml: "xml", ini: "ini", diff: "diff", patch: "diff" },
};

const languageOfType: Readonly<Record<string, string>> = {
  "text/html": "html",
  "application/xhtml+xml": "html",
  "image/svg+xml": "xml",
  "application/xml": "xml",
  "text/xml": "xml",
  "text/css": "css",
  "text/javascript": "javascript",
  "application/javascript": "javascript",
  "text/x-python": "python",
  "application/yaml": "yaml",
  "application/toml": "toml",
  "application/sql": "sql",
  "application/graphql": "graphql",
  "application/jsonl": "json",
  "application/x-ndjson": "json",
};

/** Images that browsers draw and that hold no script. */
const images = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

/** What a body is shown as. Pages and drawings that may hold scripts are only ever shown as what is written in them. */
export function previewOf(contentType: string, name: string): Preview {
  const type = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  if (images.has(type)) return { kind: "image" };
  if (type === "application/pdf") return { kind: "pdf" };
  if (type === "text/markdown") return { kind: "markdown", language: "markdown" };
  if (type === "text/csv" || type === "text/tab-separated-values") return { kind: "csv" };
  if (type === "application/json" || type.endsWith("+json")) return { kind: "json", language: "json" };
  const known = languageOfType[type];
  if (known !== undefined) return { kind: "code", language: known };
  if (type.endsWith("+xml")) return { kind: "code", language: "xml" };
  if (type.endsWith("+yaml")) return { kind: "code", language: "yaml" };
  if (!type.startsWith("text/")) return { kind: "none" };
  const byName = languageOfEnding[name.slice(name.lastIndexOf(".") + 1).toLowerCase()];
  return byName === undefined ? { kind: "text" } : { kind: "code", language: byName };
}

/** Whether a preview has a look of its own besides what is written. */
export const hasOwnLook = ({ kind }: Preview): boolean => kind === "markdown" || kind === "json" || kind === "csv";

/** Whether a body is shown as text, at least. */
export const isShownAsText = ({ kind }: Preview): boolean => kind !== "image" && kind !== "pdf" && kind !== "none";
