/**
 * The newest messages that fit, oldest first. Walking from the newest, the first message that would take the sum of
 * contents over `maxChars` (UTF-16 code units) ends the window: nothing is cut, nothing is skipped over.
 */
export function chatHistory<M extends { content: string }>(
  messages: readonly M[],
  window: { limit: number; maxChars?: number | null },
): M[] {
  const maxChars = window.maxChars ?? Number.POSITIVE_INFINITY;
  const kept: M[] = [];
  let chars = 0;
  for (let i = messages.length - 1; i >= 0 && kept.length < window.limit; i--) {
    const message = messages[i];
    if (message === undefined || chars + message.content.length > maxChars) break;
    chars += message.content.length;
    kept.push(message);
  }
  return kept.reverse();
}
