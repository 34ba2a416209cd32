/** What the narrator of the test workspace tells; the browser tests know it sentence by sentence. */
export const chapters = [1, 2, 3] as const;
const sentencesPerChapter = 40;
/** Between sentences, milliseconds: the story takes about fifteen seconds. */
export const pauseMs = 120;

export const sentencesOf = (chapter: number): string[] =>
  Array.from({ length: sentencesPerChapter }, (_, i) => `Chapter ${chapter}, sentence ${i + 1}.`);

export const wholeStory: string[] = chapters.flatMap(sentencesOf);

/** The sentences in a text, in the order in which they stand there. */
export const sentencesIn = (text: string): string[] => text.match(/Chapter \d+, sentence \d+\./g) ?? [];
