import { eventCursor, type StoredEvent } from "@wheelhouse/domain";
import { buildSchema } from "graphql";
import { useServer } from "graphql-ws/use/ws";
import { WebSocketServer } from "ws";
import { EventLogs } from "./event-log.ts";
import type { Delivery } from "./server.ts";

const schema = buildSchema(`
  scalar DateTime
  scalar JSON
  scalar Cursor
  type Query { nothing: Int }
  type Event {
    id: ID! sequence: Int! type: String! visibility: String! at: DateTime!
    sessionId: ID! runId: ID taskId: ID payload: JSON!
  }
  type EventPage { events: [Event!]! endCursor: Cursor! caughtUp: Boolean! terminal: Boolean! }
  type Subscription { sessionEvents(sessionId: ID!, after: Cursor): EventPage! }
`);

/** One subscriber's events, as a tutorial on subscriptions would have it: a queue that the publisher pushes to. */
class Queue {
  readonly #events: StoredEvent[] = [];
  #wake: (() => void) | undefined;

  push(event: StoredEvent): void {
    this.#events.push(event);
    this.#wake?.();
  }

  async take(): Promise<StoredEvent> {
    for (;;) {
      const event = this.#events.shift();
      if (event) return event;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** graphql-ws as it comes, with graphql-js executing the selection once per event and subscriber. */
export function openStock(): { delivery: Delivery; sessionIds?: undefined } {
  const logs = new EventLogs("bench");
  const queues = new Map<string, Set<Queue>>();

  async function* sessionEvents({ sessionId }: { sessionId: string }) {
    const session = sessionId.slice("Session_".length);
    const queue = new Queue();
    const queuesOfSession = queues.get(session) ?? new Set();
    queues.set(session, queuesOfSession.add(queue));
    const page = (events: StoredEvent[]) => ({
      sessionEvents: {
        events: events.map((event) => ({
          ...event,
          at: event.at.toISOString(),
          sessionId,
          runId: `Run_${event.runId}`,
          taskId: `Task_${event.taskId}`,
        })),
        endCursor: eventCursor(session, events.at(-1)?.sequence ?? 0),
        caughtUp: true,
        terminal: false,
      },
    });
    try {
      yield page([]);
      for (;;) yield page([await queue.take()]);
    } finally {
      queuesOfSession.delete(queue);
    }
  }

  const server = new WebSocketServer({ noServer: true });
  useServer({ schema, roots: { subscription: { sessionEvents } } }, server);
  return {
    delivery: {
      upgrade: (request, socket, head) =>
        server.handleUpgrade(request, socket, head, (client) => server.emit("connection", client, request)),
      publish(ids) {
        for (const id of ids) {
          const event = logs.append(id);
          for (const queue of queues.get(id) ?? []) queue.push(event);
        }
      },
    },
  };
}
