import { storableText } from "@wheelhouse/domain";

/** One part of a message as the transcript keeps it. */
export type MessagePart = { type: string } & Record<string, unknown>;

export interface MessageContent {
  /** All text, joined. */
  text: string;
  /** The parts when there is more than text; null for plain text. */
  parts: MessagePart[] | null;
}

/** Content that providers give as a string or as a list of blocks → text and, when there is more than text, parts. */
export function readContent(content: unknown): MessageContent {
  if (typeof content === "string") return { text: storableText(content), parts: null };
  if (!Array.isArray(content)) return { text: "", parts: null };
  let text = "";
  let rich = false;
  const parts: MessagePart[] = [];
  for (const block of content) {
    const part = readBlock(block);
    if (part === null) continue;
    if (part.type === "text") text += String(part.text);
    else rich = true;
    const last = parts.at(-1);
    if (last !== undefined && last.type === part.type && typeof last.text === "string" && typeof part.text === "string")
      last.text += part.text;
    else parts.push(part);
  }
  return { text, parts: rich ? parts : null };
}

/** The text of a streamed piece; reasoning and other blocks give none. */
export function pieceText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  let text = "";
  for (const block of content) if (isRecord(block) && isTextBlock(block)) text += String(block.text);
  return text;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const isTextBlock = (block: Record<string, unknown>): boolean =>
  (block.type === "text" || block.type === "text_delta" || block.type === "output_text") &&
  typeof block.text === "string";

function readBlock(block: unknown): MessagePart | null {
  if (typeof block === "string") return { type: "text", text: storableText(block) };
  if (!isRecord(block)) return null;
  if (isTextBlock(block)) return { type: "text", text: storableText(String(block.text)) };
  const reasoning = block.reasoning ?? block.thinking ?? (block.type === "reasoning" ? block.text : undefined);
  if (typeof reasoning === "string") return { type: "reasoning", text: storableText(reasoning) };
  // Tool calls have their own column; deltas of them are noise here.
  if (typeof block.type !== "string" || /tool|function|input_json/.test(block.type)) return null;
  if (/image|audio|video|file/.test(block.type)) return mediaPart(block, block.type);
  return null;
}

/** Media is kept by reference; inline bytes are described, since a row is no place for them. */
function mediaPart(block: Record<string, unknown>, type: string): MessagePart {
  const nested = isRecord(block.image_url) ? block.image_url.url : block.image_url;
  const url = typeof block.url === "string" ? block.url : nested;
  const inline = typeof block.data === "string" ? block.data : undefined;
  const kind = type.startsWith("image") ? "image" : type;
  const mimeType = block.mimeType ?? block.mime_type;
  if (typeof url === "string" && !url.startsWith("data:")) return { type: kind, url: storableText(url), mimeType };
  const length = inline?.length ?? (typeof url === "string" ? url.length : 0);
  return { type: kind, mimeType, bytes: Math.floor((length * 3) / 4) };
}
