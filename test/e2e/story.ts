import { existsSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the narrator of the test workspace tells; the browser tests know it sentence by sentence. */
const chapters = [1, 2, 3];
const sentencesPerChapter = 30;
/** Between sentences, milliseconds: they come in several pieces of the log. */
export const pauseMs = 40;

export const sentencesOf = (chapter: number): string[] =>
  Array.from({ length: sentencesPerChapter }, (_, i) => `Chapter ${chapter}, sentence ${i + 1}.`);

export const wholeStory: string[] = chapters.flatMap(sentencesOf);

/** Behind this sentence, in the middle of a message and of the run, the narrator waits for its gate. */
export const lastBeforeGate = "Chapter 2, sentence 15.";
export const storyBeforeGate: string[] = wholeStory.slice(0, wholeStory.indexOf(lastBeforeGate) + 1);

/** The sentences in a text, in the order in which they stand there. */
export const sentencesIn = (text: string): string[] => text.match(/Chapter \d+, sentence \d+\./g) ?? [];

/** A gate is a file that appears: the narrator lives in another process, which may be killed meanwhile. */
const fileOf = (gate: string): string => join(tmpdir(), `wheelhouse-story-gate-${gate}`);
export const openGate = (gate: string): void => writeFileSync(fileOf(gate), "");
export const removeGate = (gate: string): void => rmSync(fileOf(gate), { force: true });
export const isGateOpen = (gate: string): boolean => existsSync(fileOf(gate));

/** The gate that a message names, as `(gate 1f3)`; null when the story is to be told without stopping. */
export const gateIn = (message: string): string | null => /\(gate ([\w-]+)\)/.exec(message)?.[1] ?? null;
