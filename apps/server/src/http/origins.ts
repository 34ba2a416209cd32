/**
 * Whether a request may act with the browser's cookies: it comes from no browser page, from the installation's own
 * address, or from an origin that the operator trusts.
 */
export function isTrustedOrigin(
  request: { origin: string | undefined; host: string | undefined },
  trusted: readonly string[],
): boolean {
  if (request.origin === undefined) return true;
  if (trusted.includes(request.origin)) return true;
  try {
    return new URL(request.origin).host === request.host;
  } catch {
    // "null" is the origin of sandboxed pages and files: nobody's.
    return false;
  }
}
