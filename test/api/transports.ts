import { createClient as createSseClient } from "graphql-sse";
import { createClient as createSocketClient } from "graphql-ws";
import { WebSocket } from "ws";
import type { ApiWorld } from "./api-world.ts";

/** A subscription with one root field. */
export interface Subscription {
  query: string;
  variables?: Record<string, unknown>;
  /** Ends the stream while it waits. */
  signal?: AbortSignal;
}

/** What a stream was refused with. */
export class StreamRefused extends Error {
  readonly errors: readonly { message: string; extensions?: Record<string, unknown> }[];

  constructor(errors: StreamRefused["errors"]) {
    super(JSON.stringify(errors));
    this.errors = errors;
  }
}

type Result = { data?: Record<string, unknown> | null; errors?: readonly unknown[] };

/** One connection's stream of a root field's values. Leaving the loop ends the connection. */
export type Connect = <Value>(world: ApiWorld, key: string, subscription: Subscription) => AsyncIterable<Value>;

function fieldOf<Value>({ data, errors }: Result): Value {
  const [value] = Object.values(data ?? {});
  if (value == null) throw new StreamRefused((errors ?? []) as StreamRefused["errors"]);
  // The caller's document says what it asks for.
  return value as Value;
}

export async function* overWebSocket<Value>(
  world: ApiWorld,
  key: string,
  subscription: Subscription,
): AsyncGenerator<Value> {
  const client = createSocketClient({
    url: `${world.server.url.replace("http", "ws")}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${key}` },
    retryAttempts: 0,
  });
  const { signal, ...payload } = subscription;
  signal?.addEventListener("abort", () => client.terminate());
  try {
    for await (const result of client.iterate<Record<string, unknown>>(payload)) yield fieldOf<Value>(result);
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  } finally {
    client.terminate();
  }
}

export async function* overSse<Value>(world: ApiWorld, key: string, subscription: Subscription): AsyncGenerator<Value> {
  const client = createSseClient({
    url: `${world.server.url}/graphql`,
    headers: { authorization: `Bearer ${key}` },
    retryAttempts: 0,
  });
  const { signal, ...payload } = subscription;
  signal?.addEventListener("abort", () => client.dispose());
  try {
    for await (const result of client.iterate<Record<string, unknown>>(payload)) yield fieldOf<Value>(result);
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  } finally {
    client.dispose();
  }
}

/** What `curl -N` does. */
export async function* overPlainHttp<Value>(
  world: ApiWorld,
  key: string,
  subscription: Subscription,
): AsyncGenerator<Value> {
  const { signal, ...payload } = subscription;
  const hangUp = new AbortController();
  signal?.addEventListener("abort", () => hangUp.abort());
  const answer = await fetch(`${world.server.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream", authorization: `Bearer ${key}` },
    body: JSON.stringify(payload),
    signal: hangUp.signal,
  });
  try {
    for await (const message of nextMessages(answer)) yield fieldOf<Value>(message);
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  } finally {
    hangUp.abort();
  }
}

export const transports: [string, Connect][] = [
  ["the graphql-ws client", overWebSocket],
  ["the graphql-sse client", overSse],
  ["plain HTTP", overPlainHttp],
];

/** What the frames of an answer in server-sent events carry, one by one, as they come. */
export async function* nextMessages(answer: Response) {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^data: (.+)$/m.exec(block)?.[1];
      if (block.includes("event: next") && data !== undefined) yield JSON.parse(data);
    }
  }
}
