/**
 * Whether an upstream's message says by one of the operator's words that the account behind a channel is of no use any more.
 * Words the request itself contains prove nothing: upstreams repeat what they were sent, and anybody could switch a channel off.
 */
export function blamesAccount(message: string, words: readonly string[], request: () => string): boolean {
  const text = message.toLowerCase();
  const found = words.map((word) => word.trim().toLowerCase()).filter((word) => word !== '' && text.includes(word));
  if (found.length === 0) return false;
  const sent = request().toLowerCase();
  return found.some((word) => !sent.includes(word));
}
