/** Statements that a connection keeps prepared. Beyond that number they are sent unnamed, so that none grows without end. */
const maxNamed = 500;

/** Gives each SQL text one name for the life of a pool; undefined once there are too many. */
export function statementNames(prefix = "w"): (sql: string) => string | undefined {
  const names = new Map<string, string>();
  return (sql) => {
    const known = names.get(sql);
    if (known !== undefined || names.size >= maxNamed) return known;
    const name = `${prefix}${names.size + 1}`;
    names.set(sql, name);
    return name;
  };
}
