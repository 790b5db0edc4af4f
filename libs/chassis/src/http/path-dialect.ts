/** The dialects that the beginning of a path determines, where nothing else is known of a call. */
export type PathDialect = 'gemini' | 'anthropic' | 'drawing' | 'song' | 'openai' | 'other';

/** Midjourney's code for a refused request. */
export const DRAWING_REFUSED = 4;

const BEGINNINGS: readonly (readonly [RegExp, PathDialect])[] = [
  [/^\/v1beta(?!\/openai)/, 'gemini'],
  [/^\/v1\/messages/, 'anthropic'],
  [/^(?:\/[^/]+)?\/mj\//, 'drawing'],
  [/^\/suno\//, 'song'],
  [/^\/v1\//, 'openai'],
];

/** `other` for the console's calls, and for all that begin otherwise. */
export const pathDialectOf = (path: string): PathDialect =>
  BEGINNINGS.find(([beginning]) => beginning.test(path))?.[1] ?? 'other';
