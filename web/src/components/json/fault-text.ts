import type { Say } from '../../app/i18n/text-keys.js';
import type { JsonFault } from './json-text.js';

/** Where a JSON text is invalid, with the characters there; at its end there are none to quote. */
export const faultText = (say: Say, { line, column, near }: JsonFault): string =>
  near.trim() === '' ? say('json.end', { line, column }) : say('json.place', { line, column, near });
