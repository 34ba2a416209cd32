import { invalid } from "@wheelhouse/domain";

/** As many bytes of a body as are looked at to tell what it is. */
export const sniffedBytes = 4_096;
const maxTypeLength = 200;

const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0));
/** What formats begin with, at an offset. */
const signatures: readonly (readonly [type: string, offset: number, bytes: readonly number[]])[] = [
  ["image/png", 0, [0x89, ...ascii("PNG\r\n"), 0x1a, 0x0a]],
  ["image/jpeg", 0, [0xff, 0xd8, 0xff]],
  ["image/gif", 0, ascii("GIF8")],
  ["image/webp", 8, ascii("WEBP")],
  ["image/avif", 4, ascii("ftypavif")],
  ["application/pdf", 0, ascii("%PDF-")],
  ["application/zip", 0, [0x50, 0x4b, 0x03, 0x04]],
  ["application/gzip", 0, [0x1f, 0x8b]],
  ["video/mp4", 4, ascii("ftyp")],
  ["audio/mpeg", 0, ascii("ID3")],
];
/** Types that a body may only be called when it begins like one. */
const provable = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "application/pdf",
  "application/zip",
  "application/gzip",
]);

const typeOfEnding: Readonly<Record<string, string>> = {
  txt: "text/plain",
  log: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  html: "text/html",
  htm: "text/html",
  css: "text/css",
  js: "text/javascript",
  ts: "text/plain",
  py: "text/x-python",
  json: "application/json",
  jsonl: "application/jsonl",
  yaml: "application/yaml",
  yml: "application/yaml",
  xml: "application/xml",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  pdf: "application/pdf",
  zip: "application/zip",
  gz: "application/gzip",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

const shape = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*( *; *[a-z0-9-]+=("[^"\\\r\n]*"|[\w.+-]+))*$/i;

/** The type without its parameters, in lower case. */
export const bareType = (contentType: string): string => (contentType.split(";")[0] ?? "").trim().toLowerCase();

/** Whether a type says that its bytes are text. */
export const isTextType = (contentType: string): boolean =>
  /^(text\/.*|application\/(json|jsonl|yaml|toml|xml|javascript|x-ndjson|graphql|sql)|.*\+(json|xml|yaml))$/.test(
    bareType(contentType),
  );

/**
 * What a body is called: as it was declared when its first bytes do not belie that, else by the ending of its name or by
 * what it begins with. Throws INVALID_INPUT for a name that the bytes belie: a page that poses as an image, an image that
 * poses as text.
 */
export function contentTypeOf(given: { declared?: string | null | undefined; name: string; head: Uint8Array }): string {
  const { declared, name, head } = given;
  const looks = looksLike(head);
  if (declared != null && declared !== "") {
    const wanted = checkedType(declared);
    const wrong = contradiction(wanted, looks, head);
    if (wrong !== null) throw invalid("contentType", wrong);
    return wanted;
  }
  const byEnding = typeOfEnding[name.split(".").at(-1)?.toLowerCase() ?? ""];
  if (byEnding !== undefined && name.includes(".") && contradiction(byEnding, looks, head) === null) return byEnding;
  return looks ?? "application/octet-stream";
}

function checkedType(declared: string): string {
  const type = declared.trim();
  if (type.length > maxTypeLength || !shape.test(type))
    throw invalid("contentType", "must be a media type such as text/markdown");
  return type;
}

/** Why a body cannot be of a type; null when it can. */
function contradiction(type: string, looks: string | null, head: Uint8Array): string | null {
  const bare = bareType(type);
  const seen = looks ?? "something else";
  if (provable.has(bare)) return looks === bare ? null : `the body does not begin like ${bare}; it looks like ${seen}`;
  if (bare === "image/svg+xml") return looks === bare ? null : "the body is no SVG";
  if (/^(image|audio|video|font)\//.test(bare))
    return looks?.startsWith("text/") ? `the body looks like ${looks}, not like ${bare}` : null;
  if (isTextType(bare) && head.length > 0 && (looks === null || provable.has(looks)))
    return `the body is not text; it looks like ${looks ?? "binary data"}`;
  return null;
}

/** What bytes look like; null when they are no text and begin like nothing that is known. */
export function looksLike(head: Uint8Array): string | null {
  const begins = (offset: number, bytes: readonly number[]) => bytes.every((byte, i) => head[offset + i] === byte);
  const known = signatures.find(([, offset, bytes]) => begins(offset, bytes));
  if (known !== undefined) return known[0];
  const text = textOf(head);
  if (text === null) return null;
  const start = text.replace(/^\ufeff?\s*(<!--.*?-->\s*)*/s, "").slice(0, 1_000);
  if (/^(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*(<!doctype svg[^>]*>\s*)?<svg[\s>]/is.test(start)) return "image/svg+xml";
  if (/^<(!doctype html|html|head|body|script|iframe|meta|title|style|table|div|a|p|img|br|h[1-6])[\s>/]/i.test(start))
    return "text/html";
  return start.startsWith("<?xml") ? "application/xml" : "text/plain";
}

/** The bytes as text, when they can be the beginning of some. */
function textOf(head: Uint8Array): string | null {
  try {
    // `stream`: the last letter may be cut.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(head, { stream: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what text does not have
    return /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** Types that a browser may show in place: none of them runs anything in the installation's origin. */
const shown =
  /^(image\/(png|jpeg|gif|webp|avif)|application\/(pdf|json)|text\/(plain|markdown|csv)|audio\/[\w.+-]+|video\/[\w.+-]+)$/;

/** How a body is to be handed to browsers: by which headers, and never as a page of the installation. */
export function safeHeaders(
  contentType: string,
  name: string,
): Record<"content-type" | "content-disposition" | "x-content-type-options" | "content-security-policy", string> {
  const type = bareType(contentType);
  const inline = shown.test(type);
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\w.,() -]/g, "_");
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return {
    "content-type":
      isTextType(contentType) && !/charset/i.test(contentType) ? `${contentType}; charset=utf-8` : contentType,
    "content-disposition": `${inline ? "inline" : "attachment"}; filename="${plain}"; filename*=UTF-8''${encoded}`,
    "x-content-type-options": "nosniff",
    "content-security-policy":
      "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'",
  };
}
