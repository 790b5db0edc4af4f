/**
 * Whether an upstream's message contains one of the operator's phrases for an unusable account. Phrases that the request contains do not
 * count: upstreams quote requests, so anyone could have a channel switched off.
 */
export function blamesAccount(message: string, words: readonly string[], request: () => string): boolean {
  const text = message.toLowerCase();
  const found = words.map((word) => word.trim().toLowerCase()).filter((word) => word !== '' && text.includes(word));
  if (found.length === 0) return false;
  const sent = request().toLowerCase();
  return found.some((word) => !sent.includes(word));
}
