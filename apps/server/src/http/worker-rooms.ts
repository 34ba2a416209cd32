import type { ServerResponse } from "node:http";
import { answerJson, graphqlError } from "./answers.ts";
import type { Rooms } from "./server.ts";

const refuse = async (_request: unknown, response: ServerResponse): Promise<void> =>
  answerJson(response, 404, graphqlError("NOT_FOUND", "This process executes runs; the API is served by another one"));

/** Behind the port of a process that only executes runs: nothing but its health, which `listen` answers. */
export const workerRooms: Rooms = {
  graphql: refuse,
  graphqlSocket: (_request, socket) => void socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n"),
  artifacts: refuse,
  setup: refuse,
  signIn: refuse,
  pages: refuse,
  pagesSocket: (_request, socket) => void socket.destroy(),
};
