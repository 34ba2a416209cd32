/** Answers of queries, kept while the page lives so that going back shows at once what was there. */
export interface QueryCache {
  get: (key: string) => unknown;
  set: (key: string, data: unknown) => void;
  clear: () => void;
}

/** The oldest answers go first. */
const mostAnswers = 200;

export function createQueryCache(): QueryCache {
  const answers = new Map<string, unknown>();
  return {
    get: (key) => answers.get(key),
    set: (key, data) => {
      answers.delete(key);
      answers.set(key, data);
      const oldest = answers.keys().next();
      if (answers.size > mostAnswers && oldest.done !== true) answers.delete(oldest.value);
    },
    clear: () => answers.clear(),
  };
}
