import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { serveTasks } from "../child.ts";
import { subscribeMessage } from "./documents.ts";

// Many subscribers in one process that cost next to nothing: they speak just enough WebSocket to subscribe, and count
// deliveries by looking for the field that every delivered event has once.

const needle = '"sequence":';
const pageNeedle = '"endCursor":';

class Subscriber {
  readonly #socket: Socket;
  readonly #onDelivery: (count: number) => void;
  #rest = "";
  #stage: "handshake" | "acknowledgement" | "firstPage" | "following" = "handshake";
  readonly ready: Promise<void>;

  constructor(options: { port: number; path: string; sessionId: string; onDelivery: (count: number) => void }) {
    this.#onDelivery = options.onDelivery;
    this.#socket = connect(options.port, "127.0.0.1");
    this.#socket.setNoDelay(true);
    // A character per byte: what is looked for is ASCII.
    this.#socket.setEncoding("latin1");
    this.#socket.write(
      `GET ${options.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n` +
        "Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n",
    );
    this.ready = new Promise((resolve, reject) => {
      this.#socket.on("data", (chunk: string) => {
        if (this.#stage === "following") this.#count(chunk);
        else this.#advance(chunk, options.sessionId, resolve);
      });
      this.#socket.on("error", reject);
      this.#socket.on("close", () => reject(new Error("The server closed the connection")));
    });
    // After the start nobody waits for it any more.
    this.ready.catch(() => undefined);
  }

  close(): void {
    this.#socket.destroy();
  }

  #advance(chunk: string, sessionId: string, ready: () => void): void {
    this.#rest += chunk;
    if (this.#stage === "handshake" && this.#rest.includes("\r\n\r\n")) {
      this.#stage = "acknowledgement";
      this.#send('{"type":"connection_init"}');
    }
    if (this.#stage === "acknowledgement" && this.#rest.includes("connection_ack")) {
      this.#stage = "firstPage";
      this.#send(subscribeMessage(sessionId));
    }
    if (this.#stage === "firstPage" && this.#rest.includes(pageNeedle)) {
      this.#stage = "following";
      this.#rest = "";
      ready();
    }
  }

  #count(chunk: string): void {
    const data = this.#rest + chunk;
    let count = 0;
    let end = 0;
    for (let at = data.indexOf(needle); at >= 0; at = data.indexOf(needle, end)) {
      count += 1;
      end = at + needle.length;
    }
    // A needle may be cut by the chunk's end; one that was counted must not be seen again.
    this.#rest = data.slice(Math.max(end, data.length - needle.length + 1));
    if (count > 0) this.#onDelivery(count);
  }

  /** Sends a text frame. The mask is zero, which the protocol allows and which costs nothing. */
  #send(text: string): void {
    const { length } = text;
    const size = length < 126 ? [0x80 | length] : [0xfe, length >> 8, length & 255];
    this.#socket.write(String.fromCharCode(0x81, ...size, 0, 0, 0, 0) + text, "latin1");
  }
}

let subscribers: Subscriber[] = [];
let control: Socket | undefined;
/** Deliveries that end the present wave, and those that came. */
let expected = 0;
let delivered = 0;

const tasks = {
  /** Connects and subscribes; answers when every subscriber has its first page. */
  async connect(input: { port: number; controlPort: number; path: string; sessionIds: string[] }): Promise<void> {
    control = connect(input.controlPort, "127.0.0.1");
    control.setNoDelay(true);
    // The server says how many deliveries the wave is, and hears when they are there.
    control.on("data", (chunk) => {
      for (const line of chunk.toString().trim().split("\n")) {
        expected += Number(line);
        answerWave();
      }
    });
    subscribers = [];
    // A hundred at a time: a listening socket's queue is not endless.
    for (let from = 0; from < input.sessionIds.length; from += 100) {
      const some = input.sessionIds.slice(from, from + 100).map(
        (sessionId) =>
          new Subscriber({
            port: input.port,
            path: input.path,
            sessionId,
            onDelivery(count) {
              delivered += count;
              answerWave();
            },
          }),
      );
      subscribers.push(...some);
      await Promise.all(some.map((subscriber) => subscriber.ready));
    }
  },
  async disconnect(_: null): Promise<void> {
    for (const subscriber of subscribers) subscriber.close();
    subscribers = [];
    control?.destroy();
  },
};

function answerWave(): void {
  if (expected === 0 || delivered < expected) return;
  if (delivered > expected) throw new Error(`A wave of ${expected} deliveries brought ${delivered}`);
  expected = 0;
  delivered = 0;
  control?.write("\n");
}

export type SubscriberTasks = typeof tasks;

serveTasks(tasks);
