import { connect, createServer, type Server, type Socket } from "node:net";

/**
 * A TCP link between browser and server that can be cut. Chromium's own offline mode leaves open WebSockets alone, which
 * is not what a pulled cable does.
 */
export interface CuttableLink extends AsyncDisposable {
  /** Where the browser connects to. */
  readonly port: number;
  /** Destroys every connection; new ones are accepted. */
  dropConnections(): void;
  /** Destroys every connection and refuses new ones until `mend`. */
  cut(): void;
  mend(): void;
}

/** Opens a link on a free port of the loopback address to `target()`, which is asked for each connection. */
export async function openLink(target: () => number): Promise<CuttableLink> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  };
  const server = createServer((fromBrowser) => {
    if (isCut) {
      fromBrowser.destroy();
      return;
    }
    const toServer = connect(target(), "127.0.0.1");
    keep(fromBrowser);
    keep(toServer);
    fromBrowser.pipe(toServer).pipe(fromBrowser);
    fromBrowser.once("close", () => toServer.destroy());
    toServer.once("close", () => fromBrowser.destroy());
  });
  const port = await listen(server);
  const dropConnections = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    dropConnections,
    cut: () => {
      isCut = true;
      dropConnections();
    },
    mend: () => {
      isCut = false;
    },
    [Symbol.asyncDispose]: async () => {
      dropConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("no port"));
      else resolve(address.port);
    });
  });
