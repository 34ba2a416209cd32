/** Lists that were opened, with their rows and place, so that going back finds them as they were. */
export interface ListCache {
  /** The list under this key; made when there is none. */
  open: (key: string, make: () => unknown) => unknown;
  clear: () => void;
}

/** The lists used longest ago go first. */
const mostLists = 12;

export function createListCache(): ListCache {
  const lists = new Map<string, unknown>();
  return {
    open: (key, make) => {
      const list = lists.get(key) ?? make();
      lists.delete(key);
      lists.set(key, list);
      const oldest = lists.keys().next();
      if (lists.size > mostLists && oldest.done !== true) lists.delete(oldest.value);
      return list;
    },
    clear: () => lists.clear(),
  };
}
