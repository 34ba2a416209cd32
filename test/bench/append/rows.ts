import type { NewEvent } from "@wheelhouse/domain";
import { newId } from "../world.ts";

const text = "The quick brown fox jumps over the lazy dog, and looks back at what it has done. ";
const messageId = newId();

/** A phrase of a streamed answer: about 190 bytes of JSON, as models bring them. */
export const phrase = (index: number): { messageId: string; role: "ASSISTANT"; text: string; index: number } => ({
  messageId,
  role: "ASSISTANT",
  text,
  index: index * text.length,
});

/** The same as an event of a run. */
export const phraseEvent = (index: number, at: Date): NewEvent => ({
  type: "message.delta",
  payload: phrase(index),
  visibility: "END_USER",
  at,
});

/** Something that appends events to the logs of runs, one at a time per run. */
export interface AppendTarget extends AsyncDisposable {
  /** Resolves when the event is durable. */
  append(run: number): Promise<void>;
  /** Throws unless every log is gapless from 1 and holds exactly what was acknowledged. */
  verify(acknowledged: number): Promise<void>;
}

/** Compares what the database says about each log with what it ought to be. */
export function checkLogs(
  logs: readonly { session: string; count: number; first: number; last: number }[],
  expectedRows: number,
): void {
  const rows = logs.reduce((sum, log) => sum + log.count, 0);
  if (rows !== expectedRows) throw new Error(`${expectedRows} events were acknowledged and ${rows} are there`);
  const broken = logs.find((log) => log.first !== 1 || log.last !== log.count);
  if (broken) throw new Error(`The log ${broken.session} has a gap: ${JSON.stringify(broken)}`);
}
