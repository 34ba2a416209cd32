import type { GraphQLFormattedError } from "graphql";
import type { PrintedDocument } from "./document.ts";
import { errorOfAnswer, GraphQLRequestError } from "./request-error.ts";

/** Headers for every call; a function is asked before each one, so that a short-lived token stays fresh. */
export type HeaderSource = Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);

/** Sends one query or mutation over HTTP and answers its data. */
export async function sendRequest(
  transport: { url: string; fetch: typeof globalThis.fetch; headers: () => Promise<Record<string, string>> },
  document: PrintedDocument,
  variables: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const headers = {
    accept: "application/graphql-response+json, application/json;q=0.9",
    "content-type": "application/json",
    ...(await transport.headers()),
  };
  const body = JSON.stringify({ ...document, variables: variables ?? {} });
  let response: Response;
  let text: string;
  try {
    response = await transport.fetch(transport.url, { method: "POST", headers, body, ...(signal ? { signal } : {}) });
    text = await response.text();
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new GraphQLRequestError("The server could not be reached", { code: "NETWORK", cause });
  }
  return dataOf(readAnswer(text, response.status), response.status);
}

interface Answer {
  data?: unknown;
  errors?: readonly GraphQLFormattedError[];
}

function dataOf(answer: Answer, status: number): unknown {
  if (answer.errors && answer.errors.length > 0) throw errorOfAnswer(answer.errors, { status, data: answer.data });
  return answer.data;
}

function readAnswer(text: string, status: number): Answer {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isAnswer(parsed)) return parsed;
  } catch {
    // Not JSON: a proxy or another server answered.
  }
  throw new GraphQLRequestError(`The server answered with HTTP status ${status} and no GraphQL result`, {
    code: `HTTP_${status}`,
    status,
  });
}

const isAnswer = (value: unknown): value is Answer =>
  typeof value === "object" &&
  value !== null &&
  (("errors" in value && Array.isArray(value.errors)) || ("data" in value && typeof value.data === "object"));
