/**
 * The rows of a text of separated values, as RFC 4180 writes them: quoted fields may hold separators, line ends and
 * doubled quotes. With `cut` the text is only a beginning, and its last row, which may not be whole, is left out.
 */
export function parseCsv(text: string, { separator, cut = false }: { separator: string; cut?: boolean }): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = "";
  let quoted = false;
  const endRow = () => {
    row.push(field);
    if (row.length > 1 || field !== "") rows.push(row);
    row = [];
    field = "";
  };
  for (let at = text.startsWith("\uFEFF") ? 1 : 0; at < text.length; at += 1) {
    const letter = text[at];
    if (quoted) {
      if (letter !== '"') field += letter;
      else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else quoted = false;
    } else if (letter === '"' && field === "") quoted = true;
    else if (letter === separator) {
      row.push(field);
      field = "";
    } else if (letter === "\n") endRow();
    else if (letter !== "\r" || text[at + 1] !== "\n") field += letter;
  }
  if (!cut) endRow();
  return rows;
}

/** What separates the values: whichever of tab, semicolon and comma stands most often in the first line. */
export function separatorOf(text: string): string {
  const line = text.slice(0, 4_096).split("\n", 1)[0] ?? "";
  const times = (separator: string) => line.split(separator).length;
  return ["\t", ";"].reduce((best, each) => (times(each) > times(best) ? each : best), ",");
}
