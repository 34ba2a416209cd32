import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedMessage {
  headers: IncomingHttpHeaders;
  body: string;
}

/** Somebody else's server that webhooks are sent to. */
export interface Receiver extends AsyncDisposable {
  url: string;
  received: ReceivedMessage[];
  /** Resolves when so many messages came in all. */
  until(count: number): Promise<void>;
  /** How the next messages are answered, one by one; the last answer stays. */
  answer(...answers: Answer[]): void;
  /** Most messages that were being answered at the same time. */
  readonly mostAtOnce: number;
}

/** A status, or whatever is done with the response. */
export type Answer = number | ((response: ServerResponse) => void | Promise<void>);

export async function openReceiver(): Promise<Receiver> {
  const received: ReceivedMessage[] = [];
  let answers: Answer[] = [204];
  let waiting: { count: number; resolve: () => void }[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  const server = createServer(async (request, response) => {
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    response.on("close", () => atOnce--);
    let body = "";
    for await (const chunk of request) body += String(chunk);
    received.push({ headers: request.headers, body });
    for (const { resolve } of waiting.filter(({ count }) => received.length >= count)) resolve();
    waiting = waiting.filter(({ count }) => received.length < count);
    const [answer = 204] = answers.length > 1 ? answers.splice(0, 1) : answers;
    if (typeof answer === "number") response.writeHead(answer).end(answer >= 400 ? "not today" : "");
    else await answer(response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    until: (count) =>
      received.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push({ count, resolve });
          }),
    answer(...given) {
      answers = given;
    },
    get mostAtOnce() {
      return mostAtOnce;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
