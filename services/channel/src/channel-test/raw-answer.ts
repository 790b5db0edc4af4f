import { maskSecrets } from '@tollgate/providers';

/** Enough to recognise a page of a proxy or a login form by. */
const LONGEST = 500;

/**
 * Adds the beginning of what the upstream answered to a message that only says that it cannot be read. The blanks keep
 * a binary answer or a page of many lines on one line.
 */
export function withRawAnswer(message: string, body: Buffer, secrets: readonly string[]): string {
  const text = maskSecrets(body.toString('utf8'), secrets)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text;
  return shown === '' ? message : `${message}: ${shown}`;
}
