import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { serveTasks } from "../child.ts";
import { type Sample, startStopwatch } from "../measure.ts";
import { newId } from "../world.ts";
import { openProduct } from "./product.ts";
import { openRawSockets } from "./raw-sockets.ts";
import { openStock } from "./stock.ts";

/** A way of bringing events to subscribers over WebSockets. */
export interface Delivery {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Appends one event to the log of each of these sessions. */
  publish(sessionIds: readonly string[]): void;
}

const ways = {
  product: openProduct,
  "graphql-ws, an execution per subscriber": async (_sessions: number) => openStock(),
  "raw ws.send": async (_sessions: number) => openRawSockets(),
};

export type Way = keyof typeof ways;
export const wayNames = Object.keys(ways) as Way[]; // the keys are what the type says

const listening = async (server: {
  listen(port: number, host: string, done: () => void): unknown;
  address(): unknown;
}) => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port; // listening on TCP
};

let delivery: Delivery | undefined;
let sessionIds: string[] = [];
let control: Socket | undefined;
let onWaveDelivered: (() => void) | undefined;

const collected = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().rss;
};

const tasks = {
  async open({ way, sessions }: { way: Way; sessions: number }) {
    const opened = await ways[way](sessions);
    delivery = opened.delivery;
    sessionIds = opened.sessionIds ?? Array.from({ length: sessions }, () => newId());
    const http: Server = createServer();
    http.on("upgrade", (request, socket, head) => opened.delivery.upgrade(request, socket, head));
    const controls = createTcpServer((socket) => {
      control = socket;
      socket.setNoDelay(true);
      socket.on("data", () => onWaveDelivered?.());
      socket.on("error", () => undefined);
    });
    return { port: await listening(http), controlPort: await listening(controls), sessionIds };
  },

  /** Resident memory after a garbage collection, bytes. */
  async memory(_: null): Promise<number> {
    collected();
    return collected();
  },

  /** Publishes wave after wave, one event per session, each when the one before has arrived everywhere. */
  async flood(input: { sessions: number; deliveriesPerWave: number; ms: number; warmUpMs: number }): Promise<Sample> {
    const some = sessionIds.slice(0, input.sessions);
    const wave = (): Promise<void> =>
      new Promise((resolve) => {
        onWaveDelivered = resolve;
        control?.write(`${input.deliveriesPerWave}\n`);
        delivery?.publish(some);
      });
    const waves = async (ms: number, took: (ms: number) => void): Promise<number> => {
      const until = performance.now() + ms;
      let count = 0;
      for (let now = performance.now(); now < until; count += 1) {
        await wave();
        const after = performance.now();
        took(after - now);
        now = after;
      }
      return count;
    };
    await waves(input.warmUpMs, () => undefined);
    const stopwatch = await startStopwatch(null);
    return stopwatch.stop((await waves(input.ms, stopwatch.took)) * input.deliveriesPerWave);
  },
};

export type ServerTasks = typeof tasks;

serveTasks(tasks);
