/** Where to go after signing in: a path of this site, never another one. */
export function safeNext(next: string | null): string {
  if (next === null || !next.startsWith("/")) return "/";
  // "//host" and "/\host" name another site.
  const url = new URL(next, "http://here.invalid");
  return url.host === "here.invalid" ? `${url.pathname}${url.search}${url.hash}` : "/";
}
