import { eventCursor, type StoredEvent } from "@wheelhouse/domain";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { EventLogs } from "./event-log.ts";
import type { Delivery } from "./server.ts";

const Message = z.object({
  type: z.string(),
  payload: z.object({ variables: z.object({ sessionId: z.string() }) }).optional(),
});

/** The same bytes without GraphQL: one JSON.stringify per event, one ws.send per subscriber. */
export function openRawSockets(): { delivery: Delivery; sessionIds?: undefined } {
  const logs = new EventLogs("bench");
  const subscribers = new Map<string, Set<WebSocket>>();
  const server = new WebSocketServer({ noServer: true });

  server.on("connection", (socket) => {
    socket.on("message", (data) => {
      const message = Message.parse(JSON.parse(String(data)));
      if (message.type === "connection_init") socket.send('{"type":"connection_ack"}');
      const session = message.payload?.variables.sessionId.slice("Session_".length);
      if (message.type !== "subscribe" || session === undefined) return;
      const ofSession = subscribers.get(session) ?? new Set();
      subscribers.set(session, ofSession.add(socket));
      socket.on("close", () => ofSession.delete(socket));
      socket.send(nextMessage(session, []));
    });
  });

  return {
    delivery: {
      upgrade: (request, socket, head) =>
        server.handleUpgrade(request, socket, head, (client) => server.emit("connection", client, request)),
      publish(ids) {
        for (const id of ids) {
          const text = nextMessage(id, [logs.append(id)]);
          for (const socket of subscribers.get(id) ?? []) socket.send(text);
        }
      },
    },
  };
}

const nextMessage = (session: string, events: readonly StoredEvent[]): string =>
  JSON.stringify({
    id: "1",
    type: "next",
    payload: {
      data: {
        sessionEvents: {
          events: events.map(({ id, sequence, type, visibility, at, runId, taskId, payload }) => ({
            ...{ id, sequence, type, visibility, at, sessionId: `Session_${session}` },
            ...{ runId: `Run_${runId}`, taskId: `Task_${taskId}`, payload },
          })),
          endCursor: eventCursor(session, events.at(-1)?.sequence ?? 0),
          caughtUp: true,
          terminal: false,
        },
      },
    },
  });
