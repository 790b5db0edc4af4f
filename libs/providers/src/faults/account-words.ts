import { MASK, maskSecrets } from './mask-secrets.js';

/** A phrase as the operator entered it and as it stands in a masked message, and what of it is not masked. */
function phraseOf(entered: string): { whole: string; masked: string; parts: string[] } {
  const masked = maskSecrets(entered.trim()).toLowerCase();
  const parts = masked.split(MASK).filter((part) => /[\p{L}\p{N}]/u.test(part));
  return { whole: entered.trim().toLowerCase(), masked, parts };
}

/**
 * Whether an upstream's message, whose secrets are masked, contains one of the operator's phrases for an unusable account. Phrases that the
 * request contains do not count: upstreams quote requests, so anyone could have a channel switched off. Of a masked phrase its other words
 * decide, and there must be some.
 */
export function blamesAccount(message: string, words: readonly string[], request: () => string): boolean {
  const text = message.toLowerCase();
  const found = words
    .map(phraseOf)
    .filter(({ whole, masked, parts }) => parts.length > 0 && (text.includes(whole) || text.includes(masked)));
  if (found.length === 0) return false;
  const sent = request().toLowerCase();
  return found.some(({ parts }) => !parts.every((part) => sent.includes(part)));
}
