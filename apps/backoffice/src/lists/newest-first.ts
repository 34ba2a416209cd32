/** An order of rows, the newest first and among equals the one with the greater id, as the API keeps its lists. */
export const newestFirst =
  <Row extends { id: string }>(timeOf: (row: Row) => string) =>
  (a: Row, b: Row): number => {
    const [left, right] = timeOf(a) === timeOf(b) ? [a.id, b.id] : [timeOf(a), timeOf(b)];
    return left === right ? 0 : left < right ? 1 : -1;
  };
