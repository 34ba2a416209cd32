import { storableText } from "@wheelhouse/domain";
import { sha256 } from "@wheelhouse/domain/digest";

/** What stands in a row instead of a value that is too large: its beginning, its size and its checksum. */
export interface PayloadPreview {
  preview: string;
  /** UTF-8 bytes of the whole value's JSON. */
  bytes: number;
  /** SHA-256 hex of the whole value's JSON. */
  sha256: string;
}

/** Longest beginning kept of a payload that is too large, UTF-16 code units. */
const previewUnits = 2_048;
/** Messages of a state that a node's row keeps; the model step's prompt has all that the model saw. */
const stateMessages = 4;
const maxDepth = 24;

const secretKey =
  /(^|[-_.\s])(pass(word|wd|phrase)?|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|authorization|cookie|credentials?)$/i;

/** Whether the value under this name must never be recorded. `apiKey` and `api_key` alike. */
export const isSecretName = (name: string): boolean =>
  secretKey.test(name) || secretKey.test(name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2"));

export interface RecordableOptions {
  /** Larger values become a preview, UTF-8 bytes. */
  maxBytes: number;
  /** Keep only the end of long message lists; how many were left out is said. */
  shortenMessages?: boolean;
}

/**
 * A JSON value that can be stored: secrets redacted, messages in their short form, functions and cycles named.
 * One pass; only a value that proves too large is turned to text to be measured.
 */
export function recordable(value: unknown, options: RecordableOptions): unknown {
  const walk: Walk = { units: 0, path: new Set(), shorten: options.shortenMessages === true };
  const plain = toJson(value, walk, 0);
  // Units underestimate bytes by at most three: look closer only when it could matter.
  if (walk.units * 3 <= options.maxBytes) return plain;
  const text = JSON.stringify(plain) ?? "null";
  const bytes = Buffer.byteLength(text);
  return bytes <= options.maxBytes ? plain : previewOf(text, bytes);
}

/** The preview of a text, for example a tool's answer in the transcript. */
export function previewOf(text: string, bytes = Buffer.byteLength(text)): PayloadPreview {
  return { preview: storableText(text.slice(0, previewUnits)), bytes, sha256: sha256(text) };
}

interface Walk {
  units: number;
  path: Set<object>;
  shorten: boolean;
}

/** The parts of a LangChain message that rows keep. Structural, so that any copy of the library will do. */
export interface MessageLike {
  id?: string | undefined;
  content: unknown;
  name?: string | undefined;
  tool_calls?: unknown;
  tool_call_id?: string | undefined;
  status?: string | undefined;
  getType(): string;
}

export const isMessageLike = (value: unknown): value is MessageLike =>
  typeof value === "object" &&
  value !== null &&
  "getType" in value &&
  typeof value.getType === "function" &&
  "content" in value;

function toJson(value: unknown, walk: Walk, depth: number): unknown {
  switch (typeof value) {
    case "string":
      walk.units += value.length + 2;
      return value.isWellFormed() && !value.includes("\0") ? value : storableText(value);
    case "number":
      walk.units += 8;
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
      walk.units += 5;
      return value;
    case "bigint":
      walk.units += 20;
      return value.toString();
    case "undefined":
      return null;
    case "function":
    case "symbol":
      walk.units += 12;
      return `[${typeof value}]`;
    default:
      return typeof value === "object" && value !== null ? objectToJson(value, walk, depth) : null;
  }
}

function objectToJson(value: object, walk: Walk, depth: number): unknown {
  if (depth > maxDepth) return "[deeper]";
  if (walk.path.has(value)) return "[circular]";
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Error) return { error: value.name, message: value.message };
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  walk.path.add(value);
  const plain = compositeToJson(value, walk, depth + 1);
  walk.path.delete(value);
  return plain;
}

function compositeToJson(value: object, walk: Walk, depth: number): unknown {
  if (Array.isArray(value)) {
    if (walk.shorten && value.length > stateMessages && isMessageLike(value[0])) {
      const kept = value.slice(-stateMessages).map((item) => toJson(item, walk, depth));
      return [{ omittedMessages: value.length - stateMessages }, ...kept];
    }
    return value.map((item) => toJson(item, walk, depth));
  }
  if (isMessageLike(value)) return messageToJson(value, walk, depth);
  if (value instanceof Map)
    return entriesToJson(
      [...value].map(([k, v]) => [String(k), v]),
      walk,
      depth,
    );
  if (value instanceof Set) return [...value].map((item) => toJson(item, walk, depth));
  return entriesToJson(Object.entries(value), walk, depth);
}

function messageToJson(message: MessageLike, walk: Walk, depth: number): unknown {
  const plain: Record<string, unknown> = { type: message.getType(), content: toJson(message.content, walk, depth) };
  if (message.id !== undefined) plain.id = message.id;
  if (message.name !== undefined) plain.name = message.name;
  if (Array.isArray(message.tool_calls) && message.tool_calls.length > 0)
    plain.toolCalls = toJson(message.tool_calls, walk, depth);
  if (message.tool_call_id !== undefined) plain.toolCallId = message.tool_call_id;
  if (message.status !== undefined) plain.status = message.status;
  walk.units += 60;
  return plain;
}

function entriesToJson(entries: [string, unknown][], walk: Walk, depth: number): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [key, value] of entries) {
    if (value === undefined || typeof value === "function") continue;
    walk.units += key.length + 4;
    const redact = (typeof value === "string" || typeof value === "object") && value !== null && isSecretName(key);
    // A key named __proto__ must become a property like any other.
    Object.defineProperty(plain, storableText(key), {
      value: redact ? "[redacted]" : toJson(value, walk, depth),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return plain;
}
