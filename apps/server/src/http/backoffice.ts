import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";

/** The pages, served by Next.js on the same port. */
export interface Backoffice {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Hot reloading while developing. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): Promise<void>;
}

const directory = fileURLToPath(new URL("../../../backoffice", import.meta.url));

/** Opens the pages; null when they have not been built and nobody is developing them. */
export async function openBackoffice(options: {
  dev: boolean;
  host: string;
  port: number;
}): Promise<Backoffice | null> {
  if (!existsSync(directory)) return null;
  if (!options.dev && !existsSync(`${directory}/.next/BUILD_ID`)) return null;
  const { default: next } = await import("next");
  // Next answers every upgrade of the server that it is given, also those of /graphql, and drops them: it gets one that
  // never listens, and hears there of the upgrades that are its own. (Its getUpgradeHandler knows no hot reloading.)
  const httpServer = createServer();
  const { host: hostname, port } = options;
  const app = next({ dev: options.dev, dir: directory, hostname, port, quiet: true, httpServer });
  await app.prepare();
  const handle = app.getRequestHandler();
  return {
    handle: (request, response) => handle(request, response),
    upgrade(request, socket, head) {
      if (!httpServer.emit("upgrade", request, socket, head)) socket.destroy();
    },
    close: () => app.close(),
  };
}

/** What a browser sees when there are no pages. */
export const missingPages = `<!doctype html><title>Wheelhouse</title><h1>The API is running</h1>
<p>The backoffice has not been built. Run <code>npm start</code>, which builds it, or <code>npm run dev</code>.</p>
<p>GraphQL answers at <code>/graphql</code>.</p>`;
