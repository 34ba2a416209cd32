import { type EventPayload, type EventType, type EventVisibility, parseNewEvent } from "@wheelhouse/domain";
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
  #runnable = false;
  #lastSequence: number;

  /** `row` holds `sessionColumns` with the prefix `s_`. */
  constructor(row: Row, options: { at: Date; newId: () => string }) {
    this.id = text(row, "s_id");
    this.projectId = text(row, "s_project_id");
    this.agentId = text(row, "s_agent_id");
    this.scopeKey = text(row, "s_scope_key");
    this.#at = options.at;
    this.#newId = options.newId;
    this.#lastSequence = int(row, "s_last_sequence");
    this.#counters = Object.fromEntries(
      ["last_message_seq", "run_count", "task_count", "message_count", "error_count"].map((name) => [
        name,
        int(row, `s_${name}`),
      ]),
    );
    this.firstMessage = textOrNull(row, "s_first_message");
    this.activeRunId = textOrNull(row, "s_active_run_id");
  }

  readonly firstMessage: string | null;
  readonly activeRunId: string | null;

  get lastSequence(): number {
    return this.#lastSequence;
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
      type,
      visibility,
      payload,
      at: this.#at,
      created_at: this.#at,
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

  /** A run of the session can be claimed now. */
  becameRunnable(): void {
    this.#runnable = true;
  }

  /** Someone may be executing this run, which is over. */
  endedFromOutside(runId: string): void {
    this.#cancelled.push(runId);
  }

  /** The changed columns of the row, for the insert of a new session. */
  get columns(): Values {
    return { ...this.#columns, last_sequence: this.#lastSequence };
  }

  get events(): WriteOp {
    return { op: "insert", table: "events", rows: this.#events };
  }

  /** The update of the row and the inserts of the events. */
  writes(): WriteOp[] {
    return [
      { op: "update", table: "sessions", rows: [{ id: this.id, ...this.columns, updated_at: this.#at }] },
      this.events,
    ];
  }

  get hint(): Hint {
    return {
      sessions: [{ projectId: this.projectId, sessionId: this.id }],
      runnable: this.#runnable,
      cancelled: this.#cancelled,
    };
  }
}

/** Several transactions' worth of hints as one. */
export const joinHints = (drafts: readonly SessionDraft[]): Hint => ({
  sessions: drafts.flatMap((draft) => draft.hint.sessions),
  runnable: drafts.some((draft) => draft.hint.runnable),
  cancelled: drafts.flatMap((draft) => draft.hint.cancelled),
});
