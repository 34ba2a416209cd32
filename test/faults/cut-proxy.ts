import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { expect } from "vitest";

/** Which piece of the traffic does not get through: counted from one since the proxy was armed, or the first request with a text. */
export type CutPoint = { of: "requests" | "answers"; piece: number } | { of: "requests"; saying: string };

/** A way to a database that ends in the middle of the traffic, as it does for a process that dies. */
export interface CutProxy extends AsyncDisposable {
  /** The address of the same database through the proxy. */
  url: string;
  /** Counts from here on, and cuts at the point. */
  arm(point: CutPoint): void;
  /** Lets whoever connects anew get through after the cut. */
  mend(): void;
  /** Whether the point was reached. From then on nobody gets through who does not find it mended. */
  readonly isCut: boolean;
  /** Resolves when the point is reached. */
  readonly cut: Promise<void>;
  /** Resolves when the server has noticed the end of every connection, and is done with what they had asked. */
  gone(models: Queryable): Promise<void>;
}

interface Queryable {
  $queryRawUnsafe(sql: string, ...values: unknown[]): Promise<unknown>;
}

/**
 * Opens a proxy in front of a PostgreSQL. A piece is what arrives at once: about one statement, or the answers to one.
 * Cut before a request, the database never hears it; cut before an answer, it has done it and nobody learns.
 */
export async function openCutProxy(databaseUrl: string): Promise<CutProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const ports = new Set<number>();
  const seen = { requests: 0, answers: 0 };
  let point: CutPoint | null = null;
  let isCut = false;
  let isMended = false;
  let told = () => {};
  const cut = new Promise<void>((resolve) => {
    told = resolve;
  });
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    far.on("connect", () => ports.add(far.localPort ?? 0));
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    const pass = (of: CutPoint["of"], to: Socket) => (piece: string | Uint8Array) => {
      if (!isCut && point?.of === of && isReached(point, piece)) cutAll();
      if (!to.destroyed) to.write(piece);
    };
    near.on("data", pass("requests", far));
    far.on("data", pass("answers", near));
    if (isCut && !isMended) near.destroy();
  });
  const isReached = (at: CutPoint, piece: string | Uint8Array): boolean =>
    "saying" in at ? Buffer.from(piece).includes(at.saying) : ++seen[at.of] >= at.piece;
  const cutAll = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
    told();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port");
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String(address.port);
  return {
    url: url.href,
    arm(at) {
      point = at;
    },
    mend() {
      isMended = true;
    },
    get isCut() {
      return isCut;
    },
    cut,
    async gone(models) {
      const sql = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE client_port = ANY($1)";
      await expect
        .poll(() => models.$queryRawUnsafe(sql, [...ports]), { timeout: 30_000, interval: 5 })
        .toEqual([{ n: 0 }]);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
