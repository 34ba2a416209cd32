import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A way to a server that can go away, or say nothing any more. */
export interface GatedProxy extends AsyncDisposable {
  url: string;
  /** Lets so many more bytes of requests through, and then breaks every connection, as a server does that is killed. */
  killAfter(bytes: number): void;
  /** Lets so many more bytes of answers through, and then nothing, without a word. */
  silenceAfter(bytes: number): void;
  /** As it was. */
  heal(): void;
}

export async function openGatedProxy(serverUrl: string): Promise<GatedProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let toKill = Number.POSITIVE_INFINITY;
  let toSilence = Number.POSITIVE_INFINITY;
  const server = createServer((near) => {
    if (toKill <= 0) return void near.destroy();
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.on("data", (piece: Uint8Array) => {
      toKill -= piece.length;
      if (toKill > 0) far.write(piece);
      else for (const socket of sockets) socket.destroy();
    });
    far.on("data", (piece: Uint8Array) => {
      toSilence -= piece.length;
      if (toSilence > 0) near.write(piece);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    killAfter(bytes) {
      toKill = bytes;
    },
    silenceAfter(bytes) {
      toSilence = bytes;
    },
    heal() {
      toKill = Number.POSITIVE_INFINITY;
      toSilence = Number.POSITIVE_INFINITY;
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
