import {
  DeliveryFacts,
  type EventPayload,
  type EventType,
  type EventVisibility,
  parseNewEvent,
  preview,
  WebhookEvent,
} from "@wheelhouse/domain";
import { int, text, textOrNull } from "../rows.ts";
import type { Row } from "../sql.ts";
import type { Hint } from "../wake-hub.ts";
import type { Values, WriteOp } from "../write-set.ts";

type NewEventOf<T extends EventType> = {
  type: T;
  payload: EventPayload<T>;
  visibility?: EventVisibility;
  runId?: string | null;
  taskId?: string | null;
  stepId?: string | null;
};

/**
 * A session whose row is locked, and what a transition does to it: changed columns, appended events, and what to tell
 * others after the commit. The row's numbers are read once under the lock, so they may be written back as values.
 */
export class SessionDraft {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly scopeKey: string;
  readonly #at: Date;
  readonly #newId: () => string;
  readonly #columns: Record<string, unknown> = {};
  readonly #counters: Record<string, number>;
  readonly #events: Values[] = [];
  readonly #cancelled: string[] = [];
  readonly #runnable: string[] = [];
  readonly #deliveries: Values[] = [];
  #lastSequence: number;
  /** Of the session's last event; the database gives new ones this place or a later one. */
  readonly #feedPosition: number;

  /** `row` holds `sessionColumns` with the prefix `s_`. */
  constructor(row: Row, options: { at: Date; newId: () => string }) {
    this.id = text(row, "s_id");
    this.projectId = text(row, "s_project_id");
    this.agentId = text(row, "s_agent_id");
    this.scopeKey = text(row, "s_scope_key");
    this.#at = options.at;
    this.#newId = options.newId;
    this.#lastSequence = int(row, "s_last_sequence");
    this.#feedPosition = int(row, "s_feed_position");
    this.#counters = Object.fromEntries(
      ["last_message_seq", "run_count", "task_count", "message_count", "error_count"].map((name) => [
        name,
        int(row, `s_${name}`),
      ]),
    );
    this.#firstMessage = textOrNull(row, "s_first_message");
    this.activeRunId = textOrNull(row, "s_active_run_id");
  }

  #firstMessage: string | null;
  readonly activeRunId: string | null;

  get firstMessage(): string | null {
    return this.#firstMessage;
  }

  get lastSequence(): number {
    return this.#lastSequence;
  }

  get lastMessageSeq(): number {
    return this.#counters.last_message_seq ?? 0;
  }

  append<T extends EventType>(event: NewEventOf<T>): void {
    const { type, payload, visibility = "END_USER", runId = null, taskId = null, stepId = null } = event;
    parseNewEvent({ type, payload, visibility, at: this.#at } as Parameters<typeof parseNewEvent>[0]);
    this.#lastSequence++;
    this.#events.push({
      id: this.#newId(),
      project_id: this.projectId,
      session_id: this.id,
      run_id: runId,
      task_id: taskId,
      step_id: stepId,
      sequence: this.#lastSequence,
      position: this.#feedPosition,
      type,
      visibility,
      payload,
      at: this.#at,
      created_at: this.#at,
    });
    const told = WebhookEvent.safeParse(type);
    if (told.success) this.#tellWebhooks(told.data, taskId, payload);
  }

  /** Whoever ends a task appends its event; that is also where webhooks learn of it, in the same transaction. */
  #tellWebhooks(event: WebhookEvent, taskId: string | null, payload: object): void {
    this.#deliveries.push({
      id: this.#newId(),
      project_id: this.projectId,
      task_id: taskId,
      event,
      payload: DeliveryFacts.parse({ ...payload, at: this.#at.toISOString() }),
      at: this.#at,
    });
  }

  set(columns: Values): void {
    Object.assign(this.#columns, columns);
  }

  /** Adds one to a counter of the row and returns what it becomes. */
  count(name: "last_message_seq" | "run_count" | "task_count" | "message_count" | "error_count"): number {
    const next = (this.#counters[name] ?? 0) + 1;
    this.#counters[name] = next;
    this.#columns[name] = next;
    return next;
  }

  /** Messages are gone: how many there are now, and the texts of the first and last that lists show. */
  setMessages(left: { count: number; first: string | null; last: string | null }): void {
    this.#counters.message_count = left.count;
    this.#firstMessage = left.first === null ? null : preview(left.first);
    const last = left.last === null ? null : preview(left.last);
    this.set({ message_count: left.count, first_message: this.#firstMessage, last_message: last });
  }

  /** A run of the session can be claimed now: it is dispatched with the draft. */
  becameRunnable(runId: string): void {
    this.#runnable.push(runId);
  }

  /** Someone may be executing this run, which is over. */
  endedFromOutside(runId: string): void {
    this.#cancelled.push(runId);
  }

  /** The changed columns of the row, for the insert of a new session. */
  get columns(): Values {
    const place = this.#events.length > 0 ? { feed_position: this.#feedPosition } : {};
    return { ...this.#columns, ...place, last_sequence: this.#lastSequence };
  }

  get events(): WriteOp & { op: "insert" } {
    return { op: "insert", table: "events", rows: this.#events };
  }

  get dispatch(): WriteOp {
    return { op: "dispatch", rows: this.#runnable.map((id) => ({ id })) };
  }

  /** The update of the row, the inserts of the events, the dispatch of what became runnable, and what webhooks are told. */
  writes(): WriteOp[] {
    return [
      { op: "update", table: "sessions", rows: [{ id: this.id, ...this.columns, updated_at: this.#at }] },
      this.events,
      this.dispatch,
      { op: "deliver", table: "webhook_deliveries", rows: this.#deliveries },
    ];
  }

  get hint(): Hint {
    return {
      sessions: [{ projectId: this.projectId, sessionId: this.id }],
      runnable: this.#runnable.length > 0,
      cancelled: this.#cancelled,
      deliveries: this.#deliveries.length > 0,
    };
  }
}

/** Several transactions' worth of hints as one. */
export const joinHints = (drafts: readonly SessionDraft[]): Hint => ({
  sessions: drafts.flatMap((draft) => draft.hint.sessions),
  runnable: drafts.some((draft) => draft.hint.runnable),
  cancelled: drafts.flatMap((draft) => draft.hint.cancelled),
  deliveries: drafts.some((draft) => draft.hint.deliveries),
});
