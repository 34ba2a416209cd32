import { canonicalJson, type NewEvent, storableJson } from "@wheelhouse/domain";
import type { MessageWrite, RebuiltMessage } from "../../records.ts";
import { storable } from "../write-set.ts";

/** A transcript row as it is. */
export interface KnownMessage {
  id: string;
  langgraphMessageId: string | null;
  content: string;
  parts: unknown;
  toolCalls: unknown;
  toolCallId: string | null;
  seq: number;
}

/** Where the log heard a message. */
export interface ToldMessage {
  runId: string | null;
  taskId: string | null;
  at: Date;
  /** Grows with the log. */
  order: number;
}

/** Who made a tool call, and when it ended. */
export interface KnownCall {
  runId: string;
  taskId: string;
  at: Date | null;
}

export interface Known {
  /** By their order in the transcript. */
  messages: readonly KnownMessage[];
  told: ReadonlyMap<string, ToldMessage>;
  taskIds: ReadonlySet<string>;
  calls: ReadonlyMap<string, KnownCall>;
}

interface Insert {
  id: string;
  write: MessageWrite;
  seq: number;
  runId: string | null;
  taskId: string | null;
  createdAt: Date;
}

export interface RebuildPlan {
  updates: { id: string; write: MessageWrite }[];
  inserts: Insert[];
  /** What the log lacks. */
  tell: { event: NewEvent; taskId: string | null }[];
}

/**
 * What it takes to make the rows say what the checkpoint says. Rows keep their ids, places, times and attribution; rows
 * that the checkpoint does not have stay, as a graph may forget what was said. A missing row comes back into a gap where the
 * log told it, or, of what the log does not tell, where the checkpoint has it; to the end when there is no gap.
 */
export function planRebuild(messages: readonly RebuiltMessage[], known: Known): RebuildPlan {
  const plan: RebuildPlan = { updates: [], inserts: [], tell: [] };
  const rows = new Map(known.messages.map((row) => [row.langgraphMessageId ?? row.id, row]));
  const taken = new Set(known.messages.map(({ seq }) => seq));
  let last = known.messages.at(-1)?.seq ?? 0;
  let before = 0;
  const following = seqsBehind(messages, rows);
  const log = new LogOrder(known);
  for (const [place, { write, events }] of messages.entries()) {
    const row = rows.get(write.langgraphMessageId);
    const id = row?.id ?? rowIdOf(write, known);
    const heard = known.told.get(id);
    const call = write.toolCallId == null ? undefined : known.calls.get(write.toolCallId);
    const taskId = known.taskIds.has(id) ? id : (heard?.taskId ?? call?.taskId ?? null);
    if (heard === undefined) for (const event of events) plan.tell.push({ event: named(event, id), taskId });
    if (row !== undefined) {
      before = row.seq;
      if (!isSame(row, write)) plan.updates.push({ id, write });
      continue;
    }
    const bounds = heard === undefined ? { before, after: following[place] ?? null } : log.around(heard.order);
    const seq = freeSeq(taken, bounds) ?? last + 1;
    if (heard !== undefined) log.add(heard.order, seq);
    taken.add(seq);
    last = Math.max(last, seq);
    before = seq;
    const runId = heard?.runId ?? call?.runId ?? null;
    plan.inserts.push({ id, write, seq, runId, taskId, createdAt: heard?.at ?? call?.at ?? write.createdAt });
  }
  return plan;
}

/** The user's message of a task has the task's id, in the graph and in the transcript. */
const rowIdOf = (write: MessageWrite, { taskIds }: Known): string =>
  taskIds.has(write.langgraphMessageId) ? write.langgraphMessageId : write.id;

/** For each message, the place of the next one behind it that has a row. */
function seqsBehind(
  messages: readonly RebuiltMessage[],
  rows: ReadonlyMap<string, KnownMessage>,
): readonly (number | null)[] {
  const behind: (number | null)[] = [];
  let next: number | null = null;
  for (let place = messages.length - 1; place >= 0; place--) {
    behind[place] = next;
    next = rows.get(messages[place]?.write.langgraphMessageId ?? "")?.seq ?? next;
  }
  return behind;
}

/** The rows that the log tells, by its order. */
class LogOrder {
  readonly #rows: { order: number; seq: number }[];

  constructor({ messages, told }: Known) {
    this.#rows = messages
      .flatMap(({ id, seq }) => {
        const order = told.get(id)?.order;
        return order === undefined ? [] : [{ order, seq }];
      })
      .sort((a, b) => a.order - b.order);
  }

  /** The places of the rows told before and after. */
  around(order: number): Bounds {
    const index = this.#indexOf(order);
    return { before: this.#rows[index - 1]?.seq ?? 0, after: this.#rows[index]?.seq ?? null };
  }

  add(order: number, seq: number): void {
    this.#rows.splice(this.#indexOf(order), 0, { order, seq });
  }

  #indexOf(order: number): number {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#rows[middle]?.order ?? 0) < order) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

interface Bounds {
  before: number;
  after: number | null;
}

/** A place between two rows that no row has; null when there is none. */
function freeSeq(taken: ReadonlySet<number>, { before, after }: Bounds): number | null {
  if (after === null) return null;
  for (let seq = before + 1; seq < after; seq++) if (!taken.has(seq)) return seq;
  return null;
}

function isSame(row: KnownMessage, write: MessageWrite): boolean {
  const same = (a: unknown, b: unknown) => canonicalJson(a ?? null) === canonicalJson(storableJson(b ?? null));
  return (
    row.content === storable(write.content) &&
    same(row.parts, write.parts) &&
    same(row.toolCalls, write.toolCalls) &&
    row.toolCallId === (write.toolCallId ?? null)
  );
}

/** Events name messages by their rows. */
const named = (event: NewEvent, messageId: string): NewEvent =>
  // The payload of a message's event has a messageId, whatever its type.
  ({ ...event, payload: { ...event.payload, messageId } }) as NewEvent;
