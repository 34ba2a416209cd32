import { builder } from "./builder.ts";

/** `first` and `after`, for lists that are read one way. */
export const forwardArguments = builder.args((t) => ({
  first: t.int({ description: "How many rows, 0 to 100; 50 when absent." }),
  after: t.field({ type: "Cursor", description: "Read behind this cursor of the same list." }),
}));

/** `last` and `before`, for lists that can be read from their end. */
export const backwardArguments = builder.args((t) => ({
  last: t.int({ description: "How many rows from the end of the list, or before `before`." }),
  before: t.field({ type: "Cursor", description: "Read before this cursor of the same list." }),
}));
